"""What is asked, of whom, under which ε: the file that device and collector share."""

from sudare.collection.asynchronous import AsyncClient
from sudare.collection.client import Client
from sudare.collection.definition import Collection
from sudare.collection.questions import Choice, Choices, Crosstab, Number, Place, Question, Ratings
from sudare.collection.simulating import simulate
from sudare.collection.submission import Submission
from sudare.collection.tickets import Tickets
from sudare.collection.upload import send, send_batch

__all__ = [
    "AsyncClient",
    "Choice",
    "Choices",
    "Client",
    "Collection",
    "Crosstab",
    "Number",
    "Place",
    "Question",
    "Ratings",
    "Submission",
    "Tickets",
    "send",
    "send_batch",
    "simulate",
]
