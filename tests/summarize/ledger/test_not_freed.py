"""What takes nothing back: complaints, bans, refusals, questions, what is allowed once, and what is cited."""

from __future__ import annotations

import pytest

from tests.summarize.dialogues import held


@pytest.mark.parametrize(
    "old, new",
    [
        ("Ask me before you push.", "You just pushed without asking me! Revert it."),
        ("Ask me before you push.", "You pushed without asking, just great."),
        ("Ask me before you commit.", "You just committed without asking."),
        ("Ask me before you change the API.", "You just changed the API without asking me!"),
        ("Ask me before you deploy.", "You deployed without my permission, you just did it again."),
        ("改表结构之前先问我", "你怎么不问我就直接改表结构。"),
        ("Ask me before you push.", "Why did you just push without asking me."),
        ("Ask me before you push.", "you just went ahead and pushed without asking me"),
        ("Ask me before you push.", "Great, you went ahead and pushed without asking me."),
        ("Ask me before you push.", "I see you just push without asking me."),
        ("Ask me before you deploy.", "You just deployed to prod without my ok. Not cool."),
        ("改表结构之前先问我", "你又不问我就直接改了表结构。"),
        ("改表结构之前先问我", "你刚才没问我就直接改了表结构"),
        ("Frag mich, bevor du deployst.", "Du hast einfach ohne mich zu fragen deployt."),
        ("Frag mich, bevor du deployst.", "Warum deployst du einfach ohne mich zu fragen."),
        ("Demande-moi avant de déployer.", "Tu as déployé sans me demander."),
        ("プッシュする前に必ず私に聞いてください。", "なぜ聞かずに直接プッシュしたの。"),
        ("Ask me before you push.", "You keep pushing without asking me, just stop."),
        ("Ask me before you push.", "How could you push without asking me."),
        ("Ask me before you push.", "Looks like you feel free to push without asking me."),
    ],
)
def test_a_complaint_frees_nothing(old: str, new: str) -> None:
    assert old in held("Plan the season.", old, new)


@pytest.mark.parametrize(
    "old, new",
    [
        ("Ask me before you push.", "You can't push without asking me."),
        ("Ask me before you push.", "You cannot just push without asking me."),
        ("Ask me before you push.", "You can not push without asking me."),
        ("Ask me before you push.", "You shouldn't just push without asking me."),
        ("Ask me before you push.", "I did not say that you can push without asking."),
        ("改表结构之前先问我", "你不可以不问我就改表结构。"),
        ("改表结构之前先问我", "我没说改表结构不用问我。"),
        ("Ask me before you push.", "You could have pushed without asking me, good that you did not."),
        ("Frag mich, bevor du deployst.", "Ohne meine Zustimmung kannst du nicht deployen."),
        ("Ask me before you push.", "You can’t just push without asking me."),
        ("Ask me before you push.", "You should not feel free to push without asking me."),
        ("Ask me before you push.", "You are not allowed to just push without asking me."),
        ("Ask me before you push.", "Nobody said you can push without asking me."),
        ("Ask me before you push.", "I never said you may push without asking me."),
        ("Frag mich, bevor du deployst.", "Du kannst nicht einfach ohne mich zu fragen deployen."),
        ("Frag mich, bevor du deployst.", "Du darfst ohne mich zu fragen nicht deployen."),
        ("Demande-moi avant de déployer.", "Tu ne peux pas déployer sans me demander."),
        ("Pregúntame antes de desplegar.", "No puedes desplegar sin preguntarme."),
        ("Pregúntame antes de desplegar.", "Sin preguntarme no puedes desplegar."),
        ("改表结构之前先问我", "不能不问我就直接改表结构"),
        ("Ask me before you push.", "It is not true that you can push without asking me."),
        ("Ask me before you push.", "You may not push without asking me."),
        ("Ask me before you push.", "I don't think you can push without asking me."),
    ],
)
def test_a_ban_that_says_that_one_may_frees_nothing(old: str, new: str) -> None:
    assert old in held("Plan the season.", old, new)


@pytest.mark.parametrize(
    "old, new",
    [
        ("Ask me before you deploy.", "You don't have my permission to deploy."),
        ("Ask me before you deploy.", "You no longer have my permission to deploy."),
        ("Ask me before you deploy.", "You did not have my approval to deploy."),
        ("Demande-moi avant de déployer.", "Tu n'as pas mon accord pour déployer."),
        ("Pregúntame antes de desplegar.", "No tienes mi permiso para desplegar."),
        ("Frag mich, bevor du deployst.", "Du musst nicht ohne meine Zustimmung deployen."),
        ("Ask me before you deploy.", "You do not have my ok to deploy."),
        ("Demande-moi avant de déployer.", "Tu n'as plus mon accord pour déployer."),
        ("Pregúntame antes de desplegar.", "Ya no tienes mi permiso para desplegar."),
        ("Me pergunte antes de publicar.", "Não tens minha permissão para publicar."),
        ("Chiedimi prima di pubblicare.", "Non hai il mio permesso di pubblicare."),
        ("Frag mich, bevor du deployst.", "Du hast meine Zustimmung nicht, zu deployen."),
        ("Ask me before you deploy.", "No, you don't have my consent to deploy."),
    ],
)
def test_a_refused_permission_frees_nothing(old: str, new: str) -> None:
    assert old in held("Plan the season.", old, new)


@pytest.mark.parametrize(
    "old, new",
    [
        ("Ask me before you push.", "Did I say you can push without asking me"),
        ("改表结构之前先问我", "改表结构不用问我吗"),
        ("Ask me before you push.", "You can push this one without asking me."),
        ("Ask me before you push.", "You can push today without asking me."),
        ("Ask me before you delete files in prod.", "You can delete files without asking me."),
        ("Ask me before you push.", "You can push this time without asking me."),
        ("Ask me before you push.", "For this commit you can push without asking me."),
        ("Ask me before you push.", "Can you push without asking me"),
        ("Ask me before you push.", "do you think you can push without asking me"),
        ("Ask me before you push.", "You can push without asking me for now."),
        ("Ask me before you push.", "You can push it without asking me."),
        ("Frag mich, bevor du deployst.", "Heute kannst du deployen, ohne mich zu fragen."),
        ("Frag mich, bevor du deployst.", "Diesmal kannst du deployen, ohne mich zu fragen."),
        ("Demande-moi avant de déployer.", "Cette fois tu peux déployer sans me demander."),
        ("Pregúntame antes de desplegar.", "Esta vez puedes desplegar sin preguntarme."),
        ("改表结构之前先问我", "这次改表结构不用问我"),
        ("改表结构之前先问我", "改表结构是不是不用问我"),
        ("Ask me before you push to main.", "You can push without asking me."),
        ("Ask me before you change the public API.", "You can change the API without asking me."),
        ("Ask me before you push.", "You can push tonight without asking me."),
        ("Ask me before you push.", "You can push the hotfix without asking me."),
        ("Ask me before you push.", "If CI is green you can push without asking me."),
        ("Ask me before you push.", "Tomorrow you can push without asking me."),
        ("Ask me before you push.", "Tim can push without asking me."),
        ("改表结构之前先问我", "谁说改表结构不用问我。"),
    ],
)
def test_a_question_and_what_is_allowed_once_or_more_broadly_free_nothing(old: str, new: str) -> None:
    assert old in held("Plan the season.", old, new)


@pytest.mark.parametrize(
    "old, new",
    [
        ("You may push to main.", "Tests must not push to main."),
        ("You may push to main.", "Interns must never push to main."),
        ("You may push to main.", "The docs say: never push to main."),
        ("You may push to main.", "The old rule was: don't push to main."),
        ("You may edit tests.", "Do not edit tests in vendor."),
        ("You can restart the server now.", "Do not restart the database server."),
        ("You can use the staging database now.", "I told Tim: never use the staging database."),
        ("From now on 300 ms instead of 200 ms for responses.", "Cached responses under 200 ms."),
        ("From now on 120 characters per line instead of 80.", "In Markdown at most 80 characters per line."),
        ("You may push to main.", "Never push to main on Fridays."),
        ("You may push to main.", "Never push to main without tests."),
        ("You may push to main.", "Tim wrote: never push to main."),
        ("You may push to main.", "The README says never push to main."),
        ("You can sail to Keel now.", "Guests must never sail to Keel."),
        ("You can use ropes now.", "Do not use wet ropes."),
        ("You can delete logs now.", "Never delete audit logs."),
        ("Du darfst jetzt auf main pushen.", "Praktikanten dürfen nie auf main pushen."),
        ("现在可以直接推送到主分支。", "测试脚本不要推送到主分支。"),
        ("You may push to main.", "Before that rule: never push to main."),
        ("You may push to main.", "The bot must not push to main."),
        ("You may push to main.", "If CI is red, never push to main."),
        ("You may push to main.", "Don't push to main yet."),
    ],
)
def test_a_narrower_or_cited_ban_takes_no_permission_back(old: str, new: str) -> None:
    assert old in held("Plan the season.", old, new)


@pytest.mark.parametrize(
    "old, new",
    [
        ("You can run the tests without asking me.", "Show me the tests first."),
        ("You can run the tests without asking me.", "Tell me first which tests run."),
        ("You can push without asking me.", "In the guide: ask before you push."),
        ("You can push without asking me.", 'The script asks: "ask before push".'),
        ("You can push without asking me.", "The guide says: ask me before you push."),
        ("You can push without asking me.", "Show me the push log first."),
        ("You can change the schema without asking me.", "Show me the schema first."),
        ("You can push without asking me.", "Tim said: ask me before you push."),
    ],
)
def test_who_wants_to_be_shown_something_or_cites_a_demand_takes_no_freedom_back(old: str, new: str) -> None:
    assert old in held("Plan the season.", old, new)


@pytest.mark.parametrize(
    "old, new",
    [
        ("Ask me before you push.", "You can push without asking me."),
        ("Ask me before you push.", "just push without asking me from now on"),
        ("Ask me before you push.", "You could push without asking me now, it's fine."),
        ("Ask me before you deploy.", "You don't have to ask my permission to deploy."),
        ("Ask me before you push.", "You don't need my permission to push."),
        ("Frag mich, bevor du deployst.", "Du musst mich nicht mehr fragen, bevor du deployst."),
        ("Demande-moi avant de déployer.", "Tu n'as plus besoin de mon accord pour déployer."),
        ("改表结构之前先问我", "改表结构不用问我了，直接改"),
        ("You can push without asking me.", "Ask me before you push."),
        ("You may push to main.", "Never push to main again, please."),
        ("You may edit tests.", "Do not edit tests."),
        ("You can sail to Keel now.", "No, never sail to Keel again."),
    ],
)
def test_what_frees_or_bans_as_much_takes_its_place(old: str, new: str) -> None:
    assert held("Plan the season.", old, new) == [new]
