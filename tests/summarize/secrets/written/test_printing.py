"""What a command prints that prints a secret alone is not shown; what others print stays."""

from __future__ import annotations

import json

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from palimpsest.record.message import Message, Text, ToolCall, ToolResult
from palimpsest.summarize.secrets.told.asked import Asked
from palimpsest.summarize.secrets.written.printing import MAY_PRINT, PRINTS

VALUES = (
    "Kf83+Vn2/Qw7XtLb0RmZc5Yd9Hj4Gs6Pa1Ue8TiWo2E=",
    "9c41f07be2d85a3164f0b7c92e58d1a3",
    "u_e-ZONCK_04DClk",
    "Vq8#mT2!xRz",
)

PRINTING = r"""
aws ssm get-parameter --name /prod/db --with-decryption --query Parameter.Value --output text
aws secretsmanager get-secret-value --secret-id prod/db --query SecretString --output text
aws configure get aws_secret_access_key
aws ecr get-login-password --region eu-west-1
gcloud secrets versions access latest --secret=db-pass
gcloud auth print-access-token
gcloud sql users describe x --format='value(password)'
az keyvault secret show --vault-name kv --name db --query value -o tsv
az account get-access-token --query accessToken -o tsv
az storage account keys list -n acc --query '[0].value' -o tsv
az acr credential show -n reg --query 'passwords[0].value' -o tsv
az cosmosdb keys list -n x --query primaryMasterKey -o tsv
vault kv get -field=password secret/db
vault token create -field=token
vault print token
op read op://infra/db/password
op item get db --fields password --reveal
bw get password nas
pass web/nas
pass show web/nas
gopass show -o web/nas
lpass show --password web/nas
keepassxc-cli show -s -a Password db.kdbx nas
secret-tool lookup service nas
security find-generic-password -s nas -w
doppler secrets get DB_PASSWORD --plain
infisical secrets get DB_PASSWORD --plain
chamber read -q prod db_password
sops -d --extract '["db"]["password"]' secrets.yaml
kubectl get secret db -o jsonpath='{.data.password}' | base64 -d
kubectl -n argocd get secret argocd-initial-admin-secret -o go-template='{{.data.password|base64decode}}'
kubectl get secret db -o jsonpath='{.data.password}'
kubectl create token deployer
kubectl -n kube-system get secret tok -o jsonpath={.data.token} | base64 --decode
oc whoami -t
oc get secret db -o jsonpath='{.data.password}'
argocd admin initial-password -n argocd
argocd account generate-token
gh auth token
glab config get token
heroku config:get DB_PASSWORD
heroku auth:token
fly auth token
npm config get //registry.example/:_authToken
git config --get http.extraheader
git config user.token
docker exec db printenv POSTGRES_PASSWORD
docker exec db sh -c 'echo $POSTGRES_PASSWORD'
docker compose exec db printenv POSTGRES_PASSWORD
printenv API_TOKEN
echo $API_TOKEN
echo "${DB_PASSWORD}"
cat ~/.vault-token
cat /run/secrets/db
cat secrets/api_key
cat ~/.config/app/token
cat password.txt
cat config/master.key
head -1 token.txt
cat .github_token
openssl rand -base64 32
openssl rand -hex 16
pwgen -s 24 1
python -c 'import secrets; print(secrets.token_hex(16))'
python3 -c "from django.core.management.utils import get_random_secret_key as g; print(g())"
node -e "console.log(require('crypto').randomBytes(32).toString('hex'))"
php artisan key:generate --show
rails secret
bin/rails secret
bundle exec rake secret
mix phx.gen.secret
wg genkey
wg genpsk
head -c 32 /dev/urandom | base64
tr -dc A-Za-z0-9 </dev/urandom | head -c 32
terraform output -raw db_password
tofu output -raw db_password
pulumi config get dbPassword
pulumi stack output --show-secrets dbPassword
kubeadm token create
docker swarm join-token -q worker
sudo cat /var/lib/rancher/k3s/server/node-token
jq -r .password config.json
jq -r '.db.password' config.json
cat config.json | jq -r .auth.token
yq '.db.password' values.yaml
awk -F= '/DB_PASSWORD/{print $2}' .env
grep API_TOKEN .env | cut -d= -f2
grep -oP '(?<=TOKEN=).*' .env
sed -n 's/^TOKEN=//p' .env
psql -tAc "select api_key from accounts where id=1"
sqlite3 app.db "select token from sessions limit 1"
mysql -Ne "select password from users where id=1"
redis-cli get session:token
curl -s https://auth.example/token -d x=y | jq -r .access_token
oathtool --totp -b JBSWY3DPEHPK3PXP
consul kv get app/db/password
etcdctl get --print-value-only /app/db/password
systemd-creds cat db-password
ansible-vault view secret.txt
age -d secret.age
gpg -d password.gpg
gpg --decrypt secrets/db.gpg
cat /etc/rancher/token
kubectl get sa deployer -o jsonpath='{.secrets}' | xargs kubectl get secret -o jsonpath='{.data.token}'
tailscale up --authkey file:x; cat /tmp/authkey
rbw get nas
django-admin shell -c "print(settings.SECRET_KEY)"
python manage.py shell -c "from django.conf import settings; print(settings.SECRET_KEY)"
php -r 'echo getenv("DB_PASSWORD");'
node -p process.env.API_KEY
ruby -e 'puts ENV["API_KEY"]'
python -c "import os; print(os.environ['DB_PASSWORD'])"
""".strip().split("\n")
STAYING = (
    ("git log -1 --format=%h -- src/token.py", "9c41f07b2d"),
    ("git rev-parse HEAD", "9c41f07be2d85a3164f0b7c92e58d1a3aa10bb22"),
    ("git rev-parse HEAD:src/secret.py", "9c41f07be2d85a3164f0b7c92e58d1a3aa10bb22"),
    ("docker build -q -t token-svc .", "sha256:9c41f07be2d85a31"),
    ("ls secrets/", "db-password-v2"),
    ("ls -1 /run/secrets", "db-password-v2"),
    ("kubectl get secrets -o jsonpath='{.items[*].metadata.name}'", "db-creds-v2 api-token-9f3k2"),
    ("kubectl get pods -l app=token -o name", "pod/token-7c9d5f-x2k9q"),
    ("kubectl get pods -n secrets -o jsonpath='{.items[0].status.podIP}'", "10.2.3.44"),
    ("cat token_version.txt", "release-2024a"),
    ("cat src/token.py", "import9a b2c3d4e5"),
    ("head -3 docs/password.md", "Passwords2 are9here"),
    ("jq -r .token_type x.json", "Bearer2token"),
    ("jq -r .secret_name cfg.json", "db-creds-v2"),
    ("jq -r .secrets[0].id cfg.json", "sec-9f3k2m1x"),
    ("jq -r .version package.json", "v1.2.3-rc4build"),
    ("psql -tAc 'select token_id from x'", "9c41f07b2d"),
    ("psql -tAc 'select name from tokens'", "deploy-bot-2"),
    ("redis-cli get cache:token_count", "count15b2"),
    ("grep -rn token src", "src/a.py:3:token"),
    ("grep -c password .env", "3"),
    ("grep -o 'v[0-9.]*' token.txt", "v1.2.3a4b"),
    ("wc -c token.txt", "32 token.txt"),
    ("sha256sum secret.txt", "9c41f07be2d85a3164f0b7c92e58d1a3 secret.txt"),
    ("npm test -- token", "ok12tests passed34"),
    ("pytest tests/test_token.py -q", "12passed 3failed9"),
    ("echo $TOKEN_COUNT", "b2count15"),
    ("echo pass a/b", "passed1a"),
    ("printenv HOSTNAME", "web-7c9d5f-x2k9q"),
    ("docker ps -q", "9c41f07be2d8"),
    ("aws sts get-caller-identity --query Arn --output text", "arn:aws:iam::123456789012:user/dev1"),
    ("az group list --query '[0].name' -o tsv", "rg-prod-west2a"),
    ("gcloud config get-value project", "harbor-prod-2841"),
    ("git config user.name", "harbor2bot"),
    ("git config --get remote.origin.url", "git@example.com:a/b2.git"),
    ("cat tokens.lock", "h1a2b3c4d5"),
    ("jq '.tokens | length' x.json", "1532a"),
    ("sed -n '1,3p' src/secrets.rs", "pub1fn a2b3c4d5"),
    ("awk '{print $1}' passwords.csv", "user12ab"),
    ("terraform output -raw bucket_name", "desk-artifacts-eu2"),
    ("make token-test", "ok2ran14tests"),
    ("cargo test token", "12passed0"),
    ("cat package-lock.json", "a1b2c3d4e5"),
    ("uuidgen", "4be91d7c-83a2-4f16-9d05-b7c2e6a83f10"),
    ("date +%s%N", "1764150000123456789"),
    ("hostname", "web-7c9d5f-x2k9q"),
    ("cat VERSION", "2024.1-rc2build"),
    ("head -1 token_test.log", "run9c41f07b"),
    ("jq .tokenizer cfg.json", "cl100k_base"),
    ("jq -r .tokenizer_class x", "Gpt2TokenizerFast9"),
    ("git log --oneline | grep -i token | cut -d' ' -f1", "9c41f07b"),
    ("git log --oneline | grep -i token | awk '{print $1}'", "9c41f07b"),
    ("git log --format=%H --grep='password' | sed -n 1,3p", "9c41f07be2d85a3164f0b7c92e58d1a3"),
    ("rg password -l | sed 's|/.*||'", "module12a"),
    ("redis-cli get session:token:count", "abc12345"),
    ("redis-cli hget user:42 last_token_refresh", "2026x123"),
    ("redis-cli get rate:api_key:limit", "limit100x"),
    ("etcdctl get /config/secret_rotation/interval", "interval24h"),
    ('psql -c "select password_changed_at from users"', "2026a01b02"),
    ("psql -c 'select tokens_used from x'", "used1234"),
    ("kubectl get secrets -o custom-columns=NAME:.name,TYPE:.type", "db-creds-v2a"),
    ("kubectl get secret x -o jsonpath='{.kind}'", "Secret2abc"),
    ("az keyvault secret show --name x --query attributes.updated", "2026a01b02"),
    ("git config --get credential.helper", "osxkeychain2"),
    ("git config credential.https://x.username", "harbor2bot"),
)


def printed(command: str, output: str) -> set[str]:
    """The secrets that are seen in what a command printed."""
    asked = Asked()
    call = ToolCall("c1", "bash", json.dumps({"command": command}))
    assert not list(asked.answers(Message("assistant", (call,))))
    result = Message("tool", (ToolResult("c1", (Text(output),)),))
    return {text[slice(*span)] for text, span in asked.answers(result)}


@pytest.mark.parametrize("command", PRINTING)
def test_what_a_command_prints_that_prints_a_secret_alone_is_one(command: str) -> None:
    for value in VALUES:
        assert printed(command, f"{value}\n") == {value}


@pytest.mark.parametrize("command, output", STAYING)
def test_what_a_command_prints_that_only_speaks_of_secrets_stays(command: str, output: str) -> None:
    assert not printed(command, f"{output}\n")


def test_the_first_line_of_an_entry_is_a_password_and_the_rest_is_not() -> None:
    entry = "gannetrock\nuser: keeper\nurl: https://nas.example:5001\n"
    assert printed("gopass show web/nas", entry) == {"gannetrock"}


@given(st.from_regex(PRINTS.pattern, alphabet=st.characters(codec="utf-8")))
def test_whatever_prints_a_secret_has_a_word_that_is_looked_for_first(command: str) -> None:
    assume(PRINTS.search(command))
    assert MAY_PRINT.stands_in(command)
