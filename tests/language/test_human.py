"""A request for a person is read in many languages, and what only mentions people is not one."""

from __future__ import annotations

import re
from typing import Any

import pytest

from afterturn.language import asks_for_human, lines

ASKING = {
    "en": [
        "Can I talk to a real person please?",
        "I want to speak with a human",
        "Get me a human, now!",
        "human please",
        "agent",
        "Please transfer me to an agent.",
        "let me talk to your manager",
        "Stop. No more bot, give me someone who understands",
        "Is there a real person I can chat with?",
        "Connect me with customer support, a live agent please",
        "I'd like to speak to someone",
        "could you put me through to a representative",
        "Are there any humans I can talk to?",
        "I don't want to talk to a bot",
        "speak to human",
        "I need human assistance",
    ],
    "de": [
        "Ich möchte mit einem Menschen sprechen.",
        "Kann ich bitte mit einem Mitarbeiter reden?",
        "Verbinden Sie mich mit einem Kundenberater",
        "Ich will einen echten Menschen!",
        "Gibt es hier auch einen echten Mitarbeiter?",
        "Ich will nicht mit einem Bot reden.",
    ],
    "fr": [
        "Je veux parler à un humain.",
        "Pouvez-vous me passer un conseiller ?",
        "Je voudrais parler à quelqu'un",
        "Mettez-moi en relation avec un conseiller, s'il vous plaît",
        "Je veux une vraie personne",
        "Puis-je parler à une personne réelle ?",
    ],
    "es": [
        "Quiero hablar con una persona.",
        "¿Me puede pasar con un agente?",
        "Necesito un agente humano",
        "Comuníqueme con un asesor por favor",
        "¿Puedo hablar con alguien?",
    ],
    "pt": [
        "Quero falar com um atendente.",
        "Posso falar com uma pessoa de verdade?",
        "Me passa para um humano",
        "Preciso falar com alguém",
        "Quero um atendente humano",
    ],
    "it": [
        "Vorrei parlare con una persona vera.",
        "Mi passi un operatore, per favore",
        "Voglio parlare con un umano",
        "Posso parlare con qualcuno?",
        "Voglio un operatore",
    ],
    "nl": [
        "Ik wil een echt mens spreken.",
        "Kan ik met een medewerker praten?",
        "Kunt u mij doorverbinden met een medewerker?",
        "Mag ik met een mens spreken?",
    ],
    "pl": [
        "Chcę rozmawiać z człowiekiem.",
        "Proszę połączyć mnie z konsultantem",
        "Czy mogę porozmawiać z kimś?",
        "Chcę porozmawiać z prawdziwym człowiekiem",
    ],
    "ru": ["Хочу поговорить с человеком.", "Соедините меня с оператором", "Позовите оператора!", "Нужен живой человек"],
    "uk": ["Хочу поговорити з людиною.", "З'єднайте мене з оператором", "Переключіть мене на оператора"],
    "tr": [
        "Gerçek bir insanla konuşmak istiyorum.",
        "Müşteri temsilcisine bağlanmak istiyorum",
        "Bir yetkiliyle görüşmek istiyorum",
        "Beni bir temsilciye bağlar mısınız?",
    ],
    "ar": ["أريد التحدث مع شخص حقيقي", "حولني الى موظف من فضلك", "ممكن أتكلم مع موظف؟"],
    "hi": ["मुझे किसी इंसान से बात करनी है", "क्या मैं किसी एजेंट से बात कर सकता हूँ?", "mujhe kisi insaan se baat karni hai"],
    "zh": ["转人工", "我要人工客服", "我想和真人说话", "找你们经理"],
    "ja": ["人間と話したい", "オペレーターにつないでください", "担当者とお話しできますか", "有人対応をお願いします"],
    "ko": ["상담원 연결해 주세요", "사람이랑 이야기하고 싶어요", "직원과 통화하고 싶습니다"],
}

MENTIONING = {
    "en": [
        "My insurance agent told me to write to you.",
        "Which form does human resources need?",
        "The agent at the desk was kind.",
        "Does the AI agent cost extra?",
        "I need a human resources contact form",
        "How many people can share one account?",
        "My manager wants the invoice by Friday.",
        "Can I put a person on the waiting list?",
        "I want a person to be added to my contract.",
        "Is there an agent fee on my booking?",
        "I talked to a real estate agent about the flat.",
        "Can I get the agent version of the software?",
        "He is not a robot but my brother.",
        "I need an operator licence for my drone.",
    ],
    "de": [
        "Mein Versicherungsagent hat mir geschrieben.",
        "Wie viele Mitarbeiter haben Sie?",
        "Das Buch handelt von Menschen und Maschinen.",
        "Ich fahre mit einem Kollegen nach Berlin.",
        "Verbinden Sie mich mit dem WLAN",
    ],
    "fr": [
        "Mon conseiller bancaire m'a dit d'appeler.",
        "Une personne par chambre suffit.",
        "Le service des ressources humaines est fermé.",
        "Je veux une personne de plus sur mon contrat.",
    ],
    "es": [
        "Mi agente de seguros me lo dijo.",
        "¿Cuánto cuesta por persona?",
        "El departamento de recursos humanos no responde.",
        "Quiero una persona más en mi reserva.",
    ],
    "pt": [
        "Meu corretor me disse para escrever.",
        "Quanto custa por pessoa?",
        "O setor de recursos humanos está fechado.",
    ],
    "it": ["Il mio consulente mi ha scritto.", "Quanto costa a persona?", "L'ufficio risorse umane è chiuso."],
    "nl": ["Mijn verzekeringsagent zei dat.", "Hoeveel kost het per persoon?", "De afdeling personeel is gesloten."],
    "pl": ["Mój agent ubezpieczeniowy tak powiedział.", "Ile kosztuje za osobę?", "Dział kadr jest zamknięty."],
    "ru": ["Мой страховой агент так сказал.", "Сколько стоит на человека?", "Отдел кадров закрыт."],
    "uk": ["Мій страховий агент так сказав.", "Скільки коштує на людину?", "Відділ кадрів зачинено."],
    "tr": ["Sigorta acentem öyle söyledi.", "Kişi başı ne kadar?", "İnsan kaynakları kapalı."],
    "ar": ["وكيل التأمين قال لي ذلك.", "كم السعر للشخص الواحد؟", "قسم الموارد البشرية مغلق."],
    "hi": ["मेरे बीमा एजेंट ने ऐसा कहा।", "प्रति व्यक्ति कितना खर्च है?", "मानव संसाधन विभाग बंद है।"],
    "zh": ["人工智能是什么？", "我的保险代理人告诉我的。", "每个人多少钱？", "人力资源部门关门了。"],
    "ja": ["人工知能とは何ですか？", "一人いくらですか？", "人事部は閉まっています。", "保険の担当者に聞きました。"],
    "ko": ["인공지능이 뭐예요?", "한 사람당 얼마예요?", "인사부는 닫혔어요.", "보험 설계사가 그렇게 말했어요."],
}


def _rows(table: dict[str, list[str]]) -> list[Any]:
    return [pytest.param(text, id=f"{language}: {text}") for language, texts in table.items() for text in texts]


@pytest.mark.parametrize("text", _rows(ASKING))
def test_a_request_for_a_person_is_read(text: str) -> None:
    assert asks_for_human(text)


@pytest.mark.parametrize("text", _rows(MENTIONING))
def test_a_mention_of_a_person_is_no_request(text: str) -> None:
    assert not asks_for_human(text)


def test_a_request_in_a_long_message_is_read_as_well() -> None:
    assert asks_for_human("My parcel is late. " * 50 + "Let me speak to a human.")


@pytest.mark.parametrize("pattern", lines("wants_human.txt")["words"])
def test_a_pattern_of_words_has_no_alternative_that_begins_within_a_word(pattern: str) -> None:
    inner = pattern
    while "(" in inner:  # what is left without its groups are the alternatives of the pattern itself
        inner = re.sub(r"\([^()]*\)", "", inner)
    assert [part for part in inner.split("|") if not part.startswith(("\\b", "^"))] == []


@pytest.mark.parametrize("pattern", lines("wants_human.txt")["anywhere"])
def test_a_pattern_that_may_begin_anywhere_matches_no_plain_ascii(pattern: str) -> None:
    assert pattern.isascii() is False
    assert re.search(r"[a-z]", re.sub(r"\\.", "", pattern)) is None
