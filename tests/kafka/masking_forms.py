"""Forms of masking that need the text decoded."""

import json

# As Docker and Gson write a text, as others do, and JSON inside of it.
ENCODED = {
    "html": lambda text: (
        json.dumps(text).replace("<", r"\u003c").replace(">", r"\u003E").replace("&", r"\u0026")
    ),
    "slashes": lambda text: json.dumps(text).replace("/", r"\/"),
}
