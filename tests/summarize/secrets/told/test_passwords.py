"""Passwords that sentences tell are hidden in many languages, those made of words, too; what is said of them stays."""

from __future__ import annotations

import pytest

from palimpsest.summarize.secrets.redact import placeholder, redact
from palimpsest.summarize.secrets.told.passwords import told_in

NUMBERED = ["MöwenNerven3", "hunter2", "Qx7!mP2z", "k9f2m1xw"]
JOINED = ["mewa_srebrzysta", "chaika-2-prichal", "herbst.sturm.sylt"]
WORDS = ["tuinhek", "Ruderboot"]
ANY = """the password for the NAS is {}, but it only works inside the VPN
wifi password: {}
my login is admin and the password is {}
use {} as the password for the staging db
the pw is {} btw
Password for the router in the office: {}, user admin. Leave the firmware alone.
you can log in with admin / {} for now
new password of the printer is {}. Please test it.
creds: deploy / {}
the old password was {}, we changed it
account backup, password {}, host 10.0.0.3
das Passwort für das NAS ist {}, geht aber nur im VPN
WLAN-Passwort: {}
Login ist admin, Passwort {}
nimm {} als Passwort für die Testdatenbank
Das Kennwort lautet {} und gilt bis Freitag
Passwort vom Router im Büro: {}, Benutzer admin. Firmware bitte nicht anfassen.
neues Passwort vom Drucker ist {}. Bitte testen.
Zugangsdaten: deploy / {}
das alte Passwort war {}, ist geändert
PW ist {}
le mot de passe du NAS est {}, mais seulement dans le VPN
mot de passe wifi : {}
l'identifiant est admin et le mot de passe {}
utilise {} comme mot de passe pour la base de test
le mdp c'est {}
mdp du wifi : {} (box du salon)
Mot de passe du routeur au bureau : {}, utilisateur admin. Ne touche pas au firmware.
le nouveau mot de passe de l'imprimante est {}. Teste-le.
tu peux te connecter avec admin / {}
identifiants : deploy / {}
la contraseña del NAS es {}, pero solo dentro de la VPN
contraseña del wifi: {}
el usuario es admin y la contraseña {}
usa {} como contraseña para la base de pruebas
Contraseña del router de la oficina: {}, usuario admin. No toques el firmware.
la nueva contraseña de la impresora es {}. Pruébala.
usuario admin, contraseña {};
puedes entrar con admin / {}
a senha do painel das boias é {}, mas só funciona dentro da VPN
senha do wifi: {}
o usuário é admin e a senha {}
usa {} como senha do banco de teste
a senha é {}
Senha do roteador do escritório: {}, usuário admin. Não mexa no firmware.
a nova senha da impressora é {}. Testa aí.
la password del NAS è {}, ma solo dentro la VPN
password del wifi: {}
l'utente è admin e la password {}
usa {} come password per il db di prova
la password è {}
Password del router in ufficio: {}, utente admin. Non toccare il firmware.
het wachtwoord van de NAS is {}, maar alleen binnen de VPN
wifi-wachtwoord: {}
de gebruiker is admin en het wachtwoord {}
gebruik {} als wachtwoord voor de testdatabase
Wachtwoord van de router op kantoor: {}, gebruiker admin. Laat de firmware met rust.
hasło do serwera kopii to {}, użytkownik backup; sprawdź proszę, czy rsync chodzi
hasło do wifi: {}
login admin, hasło {}
użyj {} jako hasła do bazy testowej
Hasło do routera w biurze: {}, użytkownik admin. Nie ruszaj firmware.
пароль от NAS {}, но только внутри VPN
пароль от вайфая: {}
логин admin, пароль {}
используй {} как пароль для тестовой базы
Пароль от роутера на причале: {}, логин admin. Прошивку не трогай, только DNS.
пароль: {}
NAS 的密码是 {}，不过只能在 VPN 里用
WiFi密码：{}
账号 admin，密码 {}
测试库的密码用 {} 吧
办公室路由器的密码：{}，用户 admin。固件别动。
我昨天把数据库密码改成了 {}
NASのパスワードは {} です。VPN内だけです
WiFiのパスワード：{}
ユーザーは admin、パスワードは {}
テストDBのパスワードに {} を使って
事務所のルーターのパスワード：{}、ユーザー admin。ファームは触らないで。
昨日DBのパスワードを {} に変えました
NAS 비밀번호는 {} 입니다. VPN 안에서만 됩니다
와이파이 비밀번호: {}
계정 admin, 비밀번호 {}
테스트 DB 비밀번호로 {} 써 주세요
사무실 공유기 비밀번호: {}, 사용자 admin. 펌웨어는 건드리지 마세요.
lösenordet till NAS:en är {}, men bara i VPN
användare admin och lösenord {}
wifi şifresi: {}
kullanıcı admin, şifre {}""".splitlines()
NO_WORD = """NAS şifresi {}, ama sadece VPN içinde
du kannst dich mit admin / {} anmelden
I changed the db password to {} yesterday
set the admin password to {} please
ich habe das DB-Passwort auf {} geändert
j'ai changé le mot de passe de la base en {} hier
cambié la contraseña de la base a {} ayer
mudei a senha do banco para {} ontem
ho cambiato la password del db in {} ieri
ik heb het wachtwoord van de db veranderd in {}
zmieniłem hasło bazy na {} wczoraj
я сменил пароль базы на {} вчера""".splitlines()
"""Where a plain word may also say what it was changed for."""
NUMBERED_ALONE = ["it asks for a password, type {} there", "la clave es {}", "wifi-lösenord: {}"]
STATES = {
    "en": (
        "wrong|correct|empty|required|optional|unknown|secret|safe|weak|strong|short|too short|long|old|"
        "expired|changed|saved|encrypted|the same|forgotten|blocked|lost|hidden|visible|needed|stored|set|"
        "generated|random|temporary|valid|invalid|public|missing|simple|fine|ok|cached|masked|in the vault|"
        "in 1Password|in Bitwarden|behind Okta|up to you|not shown|case-sensitive|user-defined|auto-generated|"
        "write-only|read-only|base64-encoded|rate-limited|out-of-date|well known|irrelevant|unchanged|"
        "outdated|plaintext|static|unique|mandatory|confidential|not needed|reused|rotated weekly|"
        "managed by Vault|printed on the label|12 characters long|longer than 8 characters|bcrypt-hashed|"
        "SHA256|whatever you want|never logged|being reset|what we need|none of your business|useless|"
        "nonsense|alphanumeric|case sensitive|ASCII only|local|global|shared across environments|ready|"
        "incorrect|pending|done|compromised|leaked|broken"
    ),
    "de": (
        "falsch|korrekt|leer|erforderlich|optional|unbekannt|geheim|sicher|schwach|stark|kurz|zu kurz|lang|"
        "alt|abgelaufen|geändert|gespeichert|verschlüsselt|gleich|vergessen|gesperrt|verloren|versteckt|"
        "sichtbar|nötig|gesetzt|generiert|zufällig|temporär|gültig|ungültig|öffentlich|bekannt|einfach|"
        "in Ordnung|Pflicht|Standard|im Tresor|in 1Password|Sache des Admins|Teil der Anleitung|"
        "Vertrauenssache|hinterlegt|verschickt|überflüssig|dasselbe|identisch|egal|fertig|veraltet|notiert|"
        "unverändert|weg|fällig|wichtig|notwendig|unleserlich|kompromittiert|dran|Geschichte|Chefsache|Unsinn|"
        "Quatsch|privat|intern|lesbar|maskiert|zurückgesetzt|hartkodiert"
    ),
    "fr": (
        "faux|correct|vide|requis|optionnel|inconnu|secret|sûr|faible|fort|court|trop court|long|vieux|expiré|"
        "changé|enregistré|chiffré|identique|oublié|bloqué|perdu|caché|visible|nécessaire|stocké|défini|"
        "généré|aléatoire|temporaire|valide|invalide|public|manquant|simple|bon|dans le coffre|obligatoire|"
        "confidentiel|inutile|périmé|partagé|prêt|incorrect|compromis|masqué|illisible|sensible|mauvais|"
        "dedans|unique|introuvable"
    ),
    "es": (
        "incorrecta|correcta|vacía|obligatoria|opcional|desconocida|secreta|segura|débil|fuerte|corta|"
        "demasiado corta|larga|vieja|nueva|antigua|expirada|guardada|cifrada|idéntica|olvidada|bloqueada|"
        "perdida|oculta|visible|necesaria|temporal|válida|inválida|pública|simple|la misma|confidencial|única|"
        "buena|mala|compartida|innecesaria|aleatoria|personal|distinta|diferente|ilegible|sencilla|estándar"
    ),
    "pt": (
        "incorreta|correta|vazia|obrigatória|opcional|desconhecida|secreta|segura|fraca|forte|curta|"
        "muito curta|longa|velha|nova|antiga|expirada|guardada|criptografada|idêntica|a mesma|esquecida|"
        "bloqueada|perdida|oculta|visível|necessária|temporária|válida|inválida|pública|simples|confidencial|"
        "única|boa|compartilhada|aleatória|pessoal|diferente|padrão|errada|trivial"
    ),
    "it": (
        "errata|corretta|vuota|obbligatoria|facoltativa|sconosciuta|segreta|sicura|debole|forte|corta|"
        "troppo corta|lunga|vecchia|nuova|scaduta|salvata|cifrata|identica|la stessa|dimenticata|bloccata|"
        "persa|nascosta|visibile|necessaria|temporanea|valida|non valida|pubblica|semplice|riservata|unica|"
        "buona|condivisa|casuale|personale|diversa|banale|sbagliata|giusta|pronta"
    ),
    "nl": (
        "fout|correct|leeg|vereist|optioneel|onbekend|geheim|veilig|zwak|sterk|kort|te kort|lang|oud|nieuw|"
        "verlopen|gewijzigd|opgeslagen|versleuteld|hetzelfde|vergeten|geblokkeerd|kwijt|verborgen|zichtbaar|"
        "nodig|ingesteld|gegenereerd|willekeurig|tijdelijk|geldig|ongeldig|openbaar|simpel|prima|verplicht|"
        "vertrouwelijk|uniek|onleesbaar|verkeerd|onveilig|anders"
    ),
    "pl": (
        "błędne|poprawne|puste|wymagane|opcjonalne|nieznane|tajne|bezpieczne|słabe|silne|krótkie|za krótkie|"
        "długie|stare|nowe|wygasłe|zmienione|zapisane|zaszyfrowane|takie samo|zapomniane|zablokowane|zgubione|"
        "ukryte|widoczne|potrzebne|ustawione|losowe|tymczasowe|ważne|nieważne|publiczne|proste|ok|unikalne|"
        "nieprawidłowe|niepotrzebne|tajemnica|podstawa|problem"
    ),
    "sv": (
        "fel|rätt|tomt|valfritt|okänt|hemligt|säkert|svagt|starkt|kort|långt|gammalt|nytt|sparat|krypterat|"
        "samma|glömt|spärrat|dolt|synligt|nödvändigt|slumpat|tillfälligt|giltigt|ogiltigt|enkelt|"
        "obligatoriskt|unikt|personligt"
    ),
}
"""What is said of a password that is none, by language."""
SAID = {
    "en": [
        "the password is {}",
        "The password for the NAS is {}, so please ask.",
        "I think the admin password is {} and we should check",
        "password for guests: {}, see the wiki",
        "our wifi password is {}. Please fix.",
    ],
    "de": [
        "das Passwort ist {}",
        "Das Passwort für das NAS ist {}, bitte nachfragen.",
        "ich glaube, das Passwort ist {} und wir sollten das prüfen",
        "Passwort für Gäste: {}, siehe Wiki",
        "das WLAN-Passwort war {}. Bitte prüfen.",
    ],
    "fr": [
        "le mot de passe est {}",
        "Le mot de passe du NAS est {}, demande-moi.",
        "mot de passe des invités : {}, voir le wiki",
        "le mdp est {}. Merci.",
    ],
    "es": [
        "la contraseña es {}",
        "La contraseña del NAS es {}, pregúntame.",
        "contraseña de invitados: {}, mira el wiki",
        "la contraseña era {}. Gracias.",
    ],
    "pt": ["a senha é {}", "A senha do NAS é {}, me pergunte.", "senha de visitantes: {}, veja o wiki"],
    "it": [
        "la password è {}",
        "La password del NAS è {}, chiedimi.",
        "password degli ospiti: {}, vedi il wiki",
    ],
    "nl": [
        "het wachtwoord is {}",
        "Het wachtwoord van de NAS is {}, vraag maar.",
        "wachtwoord voor gasten: {}, zie de wiki",
    ],
    "pl": ["hasło jest {}", "Hasło do NAS jest {}, zapytaj.", "hasło dla gości: {}, zobacz wiki"],
    "sv": ["lösenordet är {}", "Lösenordet till NAS är {}, fråga mig."],
}
ORDINARY = """log in with Google / GitHub or by email
you can sign in as user / guest
I set the password to expire yesterday
the password was changed to match the policy
set password_reset to true
change the password with passwd on server7
Passwort wurde auf Wunsch geändert.
j'ai changé le mot de passe en urgence.
cambié la contraseña a mano
use JSON as the password file format
use it as the password
use email as password reset channel
use a passphrase as the password
we use Argon2id as the password hash
the password comes from SecretsManager2
the password: read from the environment
Password for the service account: see the vault.
the password of Router12 was reset
the user is root and the password prompt, again
login fails, password unchanged, account locked
user admin, password unchanged, role editor
account name, password, and role are required
username, password and email are the columns
username, password, email
the login form has username, password, remember-me
The login takes a user, password strength, and a locale
passwords: never in logs
I changed the password to something longer
пароль от GitLab, а логин тот же
пароль для Windows не подходит
смени пароль на GitHub
поменяй пароль на сервере nas2
密码是 base64 编码的
密码用 bcrypt 加密
パスワードは SHA256 でハッシュ
パスワードはVaultにある
パスワードに空白は使えない
비밀번호는 Vault 에 있습니다
비밀번호로 로그인
密码字段 user_password 为空
şifresi yanlış, tekrar dene
parolası eski, değiştir
le mot de passe root (voir KeePass), merci
password (hashed), salt, and iterations
Zugang mit Passwort, danach OAuth2
the wifi password changed in version3
pass the token to getUser
the pass is from Thursday, platform 3
the password must be at least twelve, no spaces
what is the password for, exactly?
the password is to be kept, please
mot de passe : huit caractères, une majuscule
clave del problema: entender, medir, mejorar
la clave del éxito es constancia, nada más
la clave es paciencia
password is a string, user is a string
where password is string, and user is string
if the password is null, return
password = input, then hash
the password is hashed, salted and peppered
the new password is confirmed twice, then saved
the password is just metadata, nothing more
password entropy is computed, not guessed""".splitlines()


def _hidden(sentence: str, values: list[str]) -> None:
    told = {value: redact(sentence.format(value)) for value in values}
    assert told == {value: sentence.format(placeholder(value)) for value in values}


@pytest.mark.parametrize("sentence", ANY)
def test_a_password_is_hidden_whatever_it_is_made_of(sentence: str) -> None:
    _hidden(sentence, NUMBERED + JOINED + WORDS)


@pytest.mark.parametrize("sentence", NO_WORD)
def test_a_password_that_was_changed_is_hidden(sentence: str) -> None:
    _hidden(sentence, NUMBERED + JOINED)


@pytest.mark.parametrize(
    "sentence",
    [
        "ok I changed the db password to {} just now, try the migration again",
        "I just changed the db password to {}. try the migration again",
        "the db password was changed to {}, try again",
        "Ich habe das Passwort auf {} geändert.",
    ],
)
def test_a_word_that_a_password_was_changed_to_is_hidden(sentence: str) -> None:
    assert redact(sentence.format("gannetrock")) == sentence.format(placeholder("gannetrock"))


@pytest.mark.parametrize("sentence", NUMBERED_ALONE)
def test_a_password_with_a_number_is_hidden_where_words_could_be_anything(sentence: str) -> None:
    _hidden(sentence, NUMBERED)


@pytest.mark.parametrize("language", STATES)
def test_how_a_password_is_stays(language: str) -> None:
    sentences = [frame.format(state) for frame in SAID[language] for state in STATES[language].split("|")]
    assert [sentence for sentence in sentences if redact(sentence) != sentence] == []


@pytest.mark.parametrize("text", ORDINARY)
def test_what_only_speaks_of_passwords_stays(text: str) -> None:
    assert redact(text) == text


@pytest.mark.parametrize(
    "sentence, value",
    [
        ("the password is {}, but ask first", "Sommer2024!"),
        ("el usuario admin tiene la contraseña {} y nada más", "Verano2024!"),
        ("the password is {}.", "summer2024"),
    ],
)
def test_a_mark_is_the_passwords_own_where_the_sentence_goes_on(sentence: str, value: str) -> None:
    assert redact(sentence.format(value)) == sentence.format(placeholder(value))


@pytest.mark.parametrize(
    "piece", ["password ", "password for ", "use a as ", "a / b ", "das Passwort ist ", "密码 ", "пароль от "]
)
def test_a_text_of_one_phrase_over_and_over_is_read_once(piece: str) -> None:
    """A pattern that reads again what it has read would not end here."""
    text = piece * (40_000 // len(piece))
    assert all(first < last for first, last in told_in(text, text.lower(), 0, len(text)))
