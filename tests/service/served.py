"""A shop behind the service: one page with a claim, an agent with an API key for each role, one for none."""

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from fastapi.testclient import TestClient
from httpx2 import Response

from prov_ledger import Ledger
from prov_ledger.model.records import Role
from prov_ledger.service.api_keys import ApiKeys
from prov_ledger.service.app import create_app
from prov_ledger.service.settings import Settings

QUOTE = "Goods may be returned within 60 days."
OTHER = "Shipping is free above 50 EUR."
#: An agent whose key leaves it no role.
NOBODY = "nobody"
#: What is asked of one service here comes from this address.
HOME = ("127.0.0.1", 50_000)


@dataclass
class Shop:
    """A ledger in a folder: a readable page, one that is readable for curators alone, keys by role."""

    folder: Path
    source: str
    revision: str
    evidence: str
    claim: str
    reminder: str
    hidden_source: str
    hidden_evidence: str
    hidden_claim: str
    keys: dict[str, str] = field(default_factory=dict)

    @contextmanager
    def served(self, **settings: object) -> Iterator["Served"]:
        """The service over this ledger, in this process."""
        app = create_app(Settings.model_validate({"ledger": self.folder, **settings}))
        with ExitStack() as stack:
            client = TestClient(app, base_url="http://127.0.0.1:8080", client=HOME)
            yield Served(self, stack.enter_context(client))


@dataclass
class Served:
    """A running service with its shop."""

    shop: Shop
    client: TestClient

    def headers(self, role: str | None) -> dict[str, str]:
        return {} if role is None else {"Authorization": f"Bearer {self.shop.keys[role]}"}

    def post(
        self, path: str, body: object, role: str | None = "curator", headers: dict[str, str] | None = None
    ) -> Response:
        sent = self.headers(role) | (headers or {})
        return self.client.post(f"/v1/default/{path}", json=body, headers=sent)

    def get(self, path: str, role: str | None = "curator", headers: dict[str, str] | None = None) -> Response:
        return self.client.get(f"/v1/default/{path}", headers=self.headers(role) | (headers or {}))


def conclude(ledger: Ledger, evidence: str, by: str | None = None) -> str:
    return ledger.claim(
        says="Returns are possible for 60 days.",
        support=[evidence],
        transformation={"kind": "quote"},
        question={"text": "How long?", "facts": {}},
        by=by,
    )


def make_shop(folder: Path) -> Shop:
    with Ledger.init(folder, facts={"purchase_date": "date", "total": {"number": "EUR"}}) as ledger:
        source = ledger.source(native="returns", title="Returns policy")
        revision = ledger.revision(source, data=f"{QUOTE}\n\n{OTHER}\n", label="1")
        evidence = ledger.evidence(revision, quote=QUOTE)
        hidden = ledger.source(native="margins", title="Margins")
        state = ledger.revision(hidden, data="The margin is 40 percent.", label="1")
        hidden_evidence = ledger.evidence(state, quote="40 percent")
        agents = {}
        for role in (*Role, NOBODY):
            agents[str(role)] = ledger.agent(f"the-{role}", roles=["agent" if role == NOBODY else role])
            ledger.grant(f"the-{role}", source)
        ledger.grant("the-curator", "collection:tools")
        claim = conclude(ledger, evidence)
        hidden_claim = conclude(ledger, hidden_evidence)
        readers = [f"the-{role}" for role in (*Role, NOBODY)]
        packet = ledger.remind([claim], budget=200, thread="chat-7", readers=readers)
    ids = (source, revision, evidence, claim, packet.id, hidden, hidden_evidence, hidden_claim)
    shop = Shop(folder, *ids)
    keys = ApiKeys(folder)
    for role, agent in agents.items():
        shop.keys[role] = keys.create("default", agent, () if role == NOBODY else None)[1]
    keys.close()
    return shop
