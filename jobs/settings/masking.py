"""What is to be masked, and how that is told without telling the key or what the patterns say."""

from typing import Annotated, Any, Self

from pydantic import (
    AfterValidator,
    BaseModel,
    ConfigDict,
    Field,
    SecretStr,
    model_serializer,
    model_validator,
)

from pipeline.kafka.reading.masking import KINDS, TOKENS, Masking, pattern_problem

SHORTEST_KEY = 16
OFF: dict[str, Any] = {"kinds": [], "patterns": [], "key": None}


class MaskingPart(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


def _kind(text: str) -> str:
    if text not in KINDS:
        raise ValueError(f"one of {', '.join(KINDS)}")
    return text


def _mask(text: str) -> str:
    problem = pattern_problem(text)
    if problem is not None:
        raise ValueError(problem)
    return text


class MaskPattern(MaskingPart):
    """name: what its tokens begin with; the same as of a kind, if the same things are meant."""

    name: Annotated[str, Field(pattern=r"^[a-z][a-z0-9]{0,15}$")]
    pattern: Annotated[str, AfterValidator(_mask)]


class MaskingSettings(MaskingPart):
    kinds: tuple[Annotated[str, AfterValidator(_kind)], ...] = Field(
        (),
        description="hosts, principals, addresses, client_ids: where Kafka and what writes its logs print them.",
    )
    patterns: tuple[MaskPattern, ...] = Field(
        (),
        description="Others, RE2 without groups that capture: [{name: host, pattern: "
        "'[a-z0-9.-]+[.]example[.]com'}]. A token is name-3f9a2c81d0b4.",
    )
    key: SecretStr | None = Field(
        None,
        description="At least 16 characters in quotes, best as KCA_MASKING__KEY. The same key gives the same secret "
        "the same token. It is stored nowhere.",
    )

    @model_validator(mode="after")
    def _has_key(self) -> Self:
        if self.is_on and len(self._key) < SHORTEST_KEY:
            raise ValueError(f"with a key of at least {SHORTEST_KEY} characters where it is on")
        return self

    @property
    def is_on(self) -> bool:
        return bool(self.kinds or self.patterns)

    @property
    def _key(self) -> bytes:
        return self.key.get_secret_value().encode() if self.key else b""

    def rules(self) -> Masking | None:
        """None: nothing is masked."""
        if not self.is_on:
            return None
        patterns = tuple((one.name, one.pattern) for one in self.patterns)
        return Masking(tuple(kind for kind in TOKENS if kind in self.kinds), patterns, self._key)

    @model_serializer(mode="plain", when_used="json")
    def stated(self) -> dict[str, Any]:
        """As ops.run states it: hashes with the key instead of the patterns and of the key itself."""
        masking = self.rules()
        if masking is None:
            return OFF
        digest = masking.masker.digest
        return {
            "kinds": list(masking.kinds),
            "patterns": [f"{name} {digest(pattern)[:16]}" for name, pattern in masking.patterns],
            "key": digest("key")[:16],
        }
