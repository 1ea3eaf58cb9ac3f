"""A request for every verb that the shop can fulfil, from whoever may make it."""

from served import OTHER, QUOTE, Shop


def body_of(method: str, shop: Shop, own_claim: str) -> dict[str, object]:
    claim = {
        "says": "60 days.",
        "support": [shop.evidence],
        "transformation": {"kind": "quote"},
        "question": {"text": "How long?", "facts": {}},
    }
    scope = [{"fact": "purchase_date", "from": "2026-06-01", "until": "open"}]
    bodies: dict[str, dict[str, object]] = {
        "declare_fact": {"name": "region", "type": "code"},
        "agent": {"name": "new-bot", "roles": ["agent"]},
        "collection": {"name": "handbook"},
        "sensitive": {"collection": "handbook"},
        "source": {"native": "wiki:other", "title": "Other"},
        "rename": {"source": shop.source, "native": "returns-2", "since": "2026-06-01T00:00:00Z"},
        "revision": {"source": shop.source, "data": f"{QUOTE} {OTHER}", "label": "2"},
        "scope": {"of": shop.revision, "scope": scope},
        "check": {"source": shop.source, "outcome": "current"},
        "authority": {"source": shop.source, "level": "official"},
        "retire": {"source": shop.source, "from": "2026-06-01"},
        "tool_result": {"tool": "status", "arguments": {"order": "1"}, "result": "ok", "collection": "tools"},
        "evidence": {"revision": shop.revision, "quote": OTHER},
        "bind": {"citations": [], "documents": [shop.revision]},
        "claim": claim,
        "contradict": {"claims": [shop.claim, own_claim]},
        "remind": {"claims": [shop.claim], "budget": 200},
        "supersede": {"old": own_claim, **claim, "reason": "shorter"},
        "restate": {"claim": own_claim, "says": "60 days.", "exposure": [shop.evidence]},
        "reaffirm": {"claims": [own_claim]},
        "retract": {"claim": own_claim},
        "grant": {"who": "new-bot", "read": shop.source},
        "revoke": {"who": "the-agent", "read": shop.source},
        "member": {"who": "the-agent", "of": "group:support"},
        "deny": {"source": shop.source, "reason": "under review"},
        "allow": {"source": shop.source},
        "resolve": {"ids": [shop.claim, shop.hidden_claim, "nonsense"]},
        "check_answer": {"text": "You have 60 days [c1].", "thread": "chat-7"},
        "find": {"text": "returned days"},
        "thread": {"name": "chat-7"},
        "changes": {"thread": "chat-7", "since": "2026-01-01"},
        "packet": {"reminder": shop.reminder},
        "show": {"native_or_id": shop.revision},
        "explain": {"claim": shop.claim},
        "facts": {},
        "plan_erasure": {"ids": [shop.hidden_source]},
        "run_erasure": {"plan": "0" * 64},
        "erase": {"ids": [shop.hidden_source]},
        "certificate": {"erasure": "era_0000000000000000ab"},
        "traces": {"text": "88-1417"},
        "verify": {},
        "validate": {},
        "rebuild": {},
    }
    return bodies[method]
