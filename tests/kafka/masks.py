"""Secrets as Kafka, Java and shippers print them; what stands between « and » is the secret."""

import re

from pipeline.kafka.reading.masking import TOKENS

PRINTED = {
    "hosts": [
        "BrokerEndPoint(id=2, host=«bkr-7.corp.example»:9092)",
        "id:2,host:«secretbroker»,port:9092",
        "Node(2, «sneaky_host», 9092)",
        "«plainhost»:9092 (id: 2 rack: us east)",
        "2 : (EndPoint(«endpoint-host»,9092,ListenerName(PLAINTEXT),PLAINTEXT)) : null : Features{}",
        "«resolved.example»/198.51.100.1:9092",
        "«unresolvedhost»/<unresolved>:9092",
        "advertised.listeners = PLAINTEXT://«listener1»:9092,SSL://«LISTENER2.EXAMPLE»:9093",
        "Endpoints(endpoints={ListenerName(CONTROLLER)=«quorumhost»/198.51.100.1:9093})",
        "java.net.UnknownHostException: «gonehost»: Name or service not known",
        "Initiating client connection, connectString=«zk1:2181,zk2.example:2181/kafka» sessionTimeout=1",
        "ControllerRegistration(id=1, listeners=[Endpoint(listenerName='C', host='«regis-trar»', port=1)])",
        "at «ip-10-0-0-7.ec2.internal» now",
        "«two.dots.example»:19092 is not there",
        "Connecting to zookeeper on «zkone:2181,zktwo:2181/kafka» now",
        "Awaiting socket connections on «listenhost»:9092.",
        '{"host":"«jsonhost»","hostname" : "«jsonhost2»","host":{"name":"«ecshost»"},"pod_name":"«kafka-pod-0»"}',
    ],
    "principals": [
        "principal=User:«alice», operation=READ",
        "principal=User:«CN=kafka-1,OU=Data Eng,O=Acme Corp,C=US», operation=READ",
        "User:«CN=Jane Doe, OU=x\\, y, 1.2.840.113549.1.9.1=#161a» has",
        "ClientQuotaEntity(entries={user=«bobby»})",
        "subject «CN=server7,O=Acme» of",
        "principal: «kafka/broker7@REALM.EXAMPLE»",
        "client environment:user.name=«svc_kafka»",
        "Delegation token expired for token: t for owner: User:«carol»",
        "Created new SCRAM credential for «dave of ops» with mechanism SCRAM_SHA_256.",
        "Processing override for entityPath: users/«erin/clients/app» with config: Map()",
    ],
    "addresses": [
        "host=«10.1.2.3»,",
        "/«10.1.2.3»:9092",
        "from «10.1.2.3»:9092-«172.16.254.1»:51234-0,«192.168.0.255»",
        "/[«fe80::a:b»]:9092",
        "/«fe80:0:0:0:a:b:c:d»:9092",
        "[«2001:db8::1»]",
        "x-«10.99.99.99»-y",
    ],
    "client_ids": [
        "Processing override for entityType: clients, entity: «batch-7» with config: {}",
        "RequestHeader(apiKey=FETCH, clientId=«payments-7», correlationId=4)",
        "[Consumer clientId=«fraud.detector», groupId=g]",
        "ClientQuotaEntity(entries={client-id=«web_frontend»})",
        "CreateTopicsRequest(clientId='«batch job, nightly»')",
        '{"client_id":"«analytics»","x":1}',
        "client.id = «consumer-x»",
        "with correlation id 7 from client id «shop orders» with ack=0",
    ],
}
# Of no kind, though it looks so.
HARMLESS = [
    "Kafka version : 0.10.2.1, 3.9.1, 0.8.2.2",
    "at 12:00:00,123 and 2024-03-01T12:00:00.123Z",
    "(Leader:1001,ISR:1001,1002,LeaderEpoch:10,ControllerEpoch:15)",
    "at kafka.controller.KafkaController.elect(KafkaController.scala:1245)",
    "VbZ0LxJ4TD6Y2m4hYvJ3Ow:17",
    "1.2.3.4.5 and 999.1.1.1 and 0.0.0.0",
    "clientId=1, clientId=broker-1-fetcher-0, User:ANONYMOUS, host=*, host=null",
    "ReplicaAssignment(replicas=3,1,2, addingReplicas=3, removingReplicas=2)",
    "[Topic=t-0,Partition=0,Replica=1],[Topic=orders.eu-west_1,Partition=1,Replica=-1]",
]
TOKEN = rf"(?:{'|'.join(TOKENS.values())})-[0-9a-f]{{12}}"


def plain(text: str) -> str:
    return text.replace("«", "").replace("»", "")


def secrets(text: str) -> list[str]:
    return re.findall("«(.+?)»", text)


def is_masked(text: str, found: str) -> bool:
    """Tokens stand where the secrets stood, and nothing else has changed."""
    parts = re.split("«.+?»", text)
    return re.fullmatch(TOKEN.join(map(re.escape, parts)), found) is not None
