"""What secrets are called, in code and in many languages: what stands behind such a name is looked at by `places`.

Rules kept here:

- A name is a strong one where hardly anything else has it; behind a weak one the value must look random.
- What people choose themselves may be made of plain words; what a machine gives out is not.
"""

from __future__ import annotations

FURTHER_NAMES = (
    *"salasana jelszó jelszava adgangskode adgangskoden kodeord kodeordet passord passordet lösenordet".split(),
    *"requirepass masterauth mdp pw hasłem hasła пароля паролем lozinka парола รหัสผ่าน סיסמה סיסמא".split(),
    *("mật khẩu", "kata sandi", "parola d'ordine", "κωδικός πρόσβασης"),
)
"""What a password is called in languages that `forms` does not name itself."""
STRONG_NAMES = (
    *"password passwd passphrase passwort kennwort pwd secret secretkey secret_key secret-key".split(),
    *"secret_access_key secretaccesskey api_key api-key apikey access_key access-key accesskey private_key".split(),
    *"private-key privatekey signing_key encryption_key master_key auth_key account_key client_secret".split(),
    *"encryptionkey signingkey masterkey authkey storage_key storagekey pepper".split(),
    *"clientsecret app_secret contraseña contrasena wachtwoord lösenord hasło heslo passe senha пароль".split(),
    *"密码 密碼 口令 密钥 密鑰 パスワード 비밀번호 şifre पासवर्ड".split(),
    *("كلمة المرور", "كلمة السر", *FURTHER_NAMES),
    *("mi clave", "la clave", "tu clave", "su clave"),
    *("api key", "access key", "secret key"),
    *(
        f"{kind}{sign}token"
        for kind in ("access", "auth", "refresh", "bearer", "bot", "api", "private")
        for sign in ("_", "-", "")
    ),
)
"""Names whose value is a secret unless it looks like a word, a reference or an example."""
WEAK_NAMES = (
    *"token credential credentials auth 令牌 session_key fernet_key shared_key hmac_key".split(),
    *("service_role_key", "admin_key"),
    *("admin key", "license key", "refresh token", "geheimnis", "api-schlüssel", "clé api", "clave api"),
)
"""Names whose value is a secret if it looks random."""
SPOKEN_NAMES = frozenset(
    "password passwd passphrase passwort kennwort pwd contraseña contrasena wachtwoord lösenord hasło heslo passe "
    "senha пароль 密码 密碼 口令 パスワード 비밀번호 şifre पासवर्ड".split()
) | {"كلمة المرور", "كلمة السر", "mi clave", "la clave", "tu clave", "su clave", *FURTHER_NAMES}
"""Names of what people choose themselves, which may be made of plain words."""
