"""The verbs of a privacy officer: what is held, what would go, that it goes, and the proof of it."""

from collections.abc import Sequence
from dataclasses import dataclass

from prov_ledger.errors import Refused
from prov_ledger.ledger.disclosing import Disclosing, described
from prov_ledger.ledger.erasing.accounts import Account, Accounts, Mention
from prov_ledger.ledger.erasing.certificate import Certificate
from prov_ledger.ledger.erasing.certifying import Certifying
from prov_ledger.ledger.erasing.finishing import Finishing
from prov_ledger.ledger.erasing.manifest import Manifest
from prov_ledger.ledger.erasing.planning import Planning
from prov_ledger.ledger.erasing.plans import Plans
from prov_ledger.ledger.erasing.running import RECOGNISED_FOR, Asked, Running
from prov_ledger.ledger.erasing.sweeping import Sweeping, SweepReport
from prov_ledger.ledger.erasing.traces import Traces
from prov_ledger.ledger.find_verbs import FindVerbs
from prov_ledger.ledger.layout import plans_folder
from prov_ledger.model.records import Node


@dataclass(frozen=True, slots=True)
class Erased:
    """A finished erasure: its id, the hash of its plan, how many sealed texts went, and the epoch whose key
    was destroyed (None: what keeps the keys cannot destroy one).
    """

    id: Node
    plan: str
    texts: int
    epoch: int | None


class ErasureVerbs(FindVerbs):
    """Planning, erasing, certificates, traces."""

    def plan_erasure(self, ids: Sequence[str], *, by: str | None = None) -> Manifest:
        """What would go, what derives from it and what it leaves; ``run_erasure`` takes its hash.

        ``ids``: sources, revisions, evidence, claims, names. Nothing is recorded. Raises Refused
        ``malformed_id``, ``unknown_id``, ``denied``, ``bad_input``.
        """
        planning = Planning(self._tenant)
        with self._tenant.lock:
            acting = self._acting(by, None)
            self._session.check_role(acting.agent, "erase")
            manifest = planning.told(planning.plan(planning.require(ids), "request"))
        self._plans.keep(manifest, self._tenant.now())
        return manifest

    def run_erasure(
        self,
        plan: str,
        *,
        reason: str | None = None,
        subject: str | None = None,
        recognised_for: str = RECOGNISED_FOR,
        by: str | None = None,
    ) -> Erased:
        """Erase what a plan says, for good; it is finished when this returns.

        ``plan``: its hash. ``reason`` and ``subject``, whose data it was, are sealed. For
        ``recognised_for``, an ISO 8601 duration, what was erased is refused when it comes back. Raises
        Refused ``plan_changed``, ``legal_hold``, ``not_found`` for a plan that nobody made.
        """
        asked = Asked(self._plans.targets(plan), plan, "request", reason, subject, recognised_for)
        done = self._erase(asked, by)
        self._plans.drop(plan)
        return done

    def erase(
        self,
        ids: Sequence[str],
        *,
        reason: str | None = None,
        subject: str | None = None,
        recognised_for: str = RECOGNISED_FOR,
        by: str | None = None,
    ) -> Erased:
        """Plan and run at once, for a caller who knows what goes; raises as the two do."""
        return self._erase(Asked(ids, None, "request", reason, subject, recognised_for), by)

    def certificate(
        self, erasure: str, *, keys_kept_for: str | None = None, by: str | None = None
    ) -> Certificate:
        """The signed certificate of a finished erasure; the same each time, but for ``keys_kept_for``.

        ``keys_kept_for``: how long backups of keys are kept here, an ISO 8601 duration.
        """
        self._session.check_role(self._acting(by, None).agent, "erase")
        return Certifying(self._tenant).certificate(erasure, keys_kept_for)

    def traces(self, text: str, *, sealed: bool = True, by: str | None = None) -> tuple[str, ...]:
        """Where a text is left: in any file of the tenant, in what lies packed there, in the graph, and,
        with ``sealed``, in every sealed text that opens. Nothing is recorded.
        """
        self._session.check_role(self._acting(by, None).agent, "erase")
        if not text.strip():
            raise Refused("incomplete", "there is no text to look for: give it")
        traces = Traces(self._tenant)
        return tuple(traces.everywhere(text) if sealed else traces.in_the_clear(text))

    def mentions(self, text: str, *, by: str | None = None) -> tuple[Mention, ...]:
        """Where a text stands in what is sealed, letter for letter in whatever case: ids to ask ``access``
        about, or to erase. Every sealed text is opened; nothing of it is given out.
        """
        self._session.check_role(self._acting(by, None).agent, "access")
        if not text.strip():
            raise Refused("incomplete", "there is no text to look for: give it")
        with self._tenant.lock:
            return Accounts(self._tenant).mentions(text)

    def access(self, ids: Sequence[str], *, by: str | None = None) -> Account:
        """Everything that is held about ids: what it says, what rests on it, who was shown it, and when.

        That it is shown here is recorded first. Raises Refused ``malformed_id``, ``unknown_id``,
        ``denied``; StorageError.
        """
        disclosing, accounts = Disclosing(self._session), Accounts(self._tenant)
        with self._tenant.lock:
            acting = self._acting(by, None)
            self._session.check_role(acting.agent, "access")
            account = accounts.account(accounts.planning.require(ids))
            showing = disclosing.about_to_show(acting, described(x.id for x in account.things))
        disclosing.record(showing)
        return account

    def sweep(self, *, by: str | None = None) -> SweepReport:
        """Erase what retention made expire, and prune the metadata that expired; doing so twice changes
        nothing. What is under a legal hold stays, withheld.
        """
        self._check_alone()
        acting = self._acting(by, None)
        self._session.check_role(acting.agent, "sweep")
        report = Sweeping(self._tenant).sweep(acting.agent or "")
        self._plans.expire(self._tenant.now())
        self._forget_texts()
        return report

    def _check_alone(self) -> None:
        if self._tenant.is_writing():
            raise Refused("bad_input", "an erasure is no part of a batch: end the batch first")

    @property
    def _plans(self) -> Plans:
        return Plans(plans_folder(self._tenant.ledger, self._tenant.name))

    def _erase(self, asked: Asked, by: str | None) -> Erased:
        self._check_alone()
        running = Running(self._tenant)
        with self._writing("erase", by, None) as (work, acting):
            self._session.check_role(acting.agent, "erase")
            targets = running.planning.require(asked.targets)
            id = running.deny(work, acting.agent or "", asked.of(targets))
        Finishing(self._tenant).finish_all()
        self._forget_texts()
        found = self._tenant.state.removals.erasures[id]
        receipt = found.receipt
        assert receipt is not None  # finishing gives every erasure its receipt, or raises
        return Erased(id, found.record.manifest, receipt.payloads, receipt.epoch)

    def _forget_texts(self) -> None:
        """What this handle remembers of texts."""
        if self._search_index is not None:
            self.drop_search_index()
