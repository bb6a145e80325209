"""More keys and tokens by their vendors' beginnings, and by what any issuer writes: (words, pattern) for `forms`.

Rules kept here:

- As in `vendors`: a beginning, and the length that its vendor gives what follows.
- A vendor that nobody here has heard of begins its tokens as the others do: with a word that says so (`..._token_`,
  `..._sk_`), or where it holds (`live`, `prod`), and what follows is as no id or digest is. Such a value is judged.
"""

from __future__ import annotations

_END = r"(?![A-Za-z0-9])"
_MIXED = r"(?=[A-Za-z0-9]{0,40}[a-z])(?=[A-Za-z0-9]{0,40}[A-Z])(?=[A-Za-z0-9]{0,40}\d)"

ISSUED: tuple[tuple[str, str], ...] = (
    # clouds, databases and what runs there
    ("aq.", r"AQ\.A[A-Za-z0-9_-]{40,400}"),
    ("sts.", rf"STS\.[A-Za-z0-9]{{20,64}}{_END}"),
    ("cais", r"CAIS[A-Za-z0-9+/_=-]{60,1000}"),
    ("avns_", rf"AVNS_[A-Za-z0-9_-]{{16,30}}{_END}"),
    ("exo", rf"EXO(?=[A-Za-z0-9]{{0,30}}\d)[A-Za-z0-9]{{24,32}}{_END}"),
    ("ccdb1_", rf"CCDB1_[A-Za-z0-9]{{22}}_[A-Za-z0-9]{{40}}{_END}"),
    ("mdb_sa_sk_", r"mdb_sa_sk_[A-Za-z0-9_-]{36,60}"),
    ("swmtkn- swmkey-", r"SWM(?:TKN|KEY)-\d-[A-Za-z0-9+/-]{40,120}"),
    ("essu_", r"essu_[A-Za-z0-9+/_-]{40,200}={0,2}"),
    ("ucat_", rf"ucat_[A-Za-z0-9]{{20,40}}{_END}"),
    ("ddp_ ddw_", rf"dd[pw]_[A-Za-z0-9]{{32,44}}{_END}"),
    ("vca_ vci_ vcr_ vck_ vcp_", r"vc[aikpr]_[A-Za-z0-9_-]{40,70}"),
    ("tk-us- tk-eu-", r"tk-(?:us|eu)-[A-Za-z0-9_-]{40,60}"),
    ("flyv1", r"FlyV1 [A-Za-z0-9+/=_,-]{40,4000}"),
    ("fm1a_ fm1r_", r"fm1[ar]_[A-Za-z0-9+/=,_-]{60,4000}"),
    ("sha256~", rf"sha256~[A-Za-z0-9_-]{{43}}{_END}"),
    ("zpka_", r"zpka_[a-z0-9]{32}_[0-9a-f]{8}"),
    ("configcat-sdk-", r"configcat-sdk-\d/[A-Za-z0-9_-]{22}/[A-Za-z0-9_-]{22}"),
    ("dvc_", rf"dvc_(?:server|client|mobile)_[A-Za-z0-9_]{{11,50}}{_END}"),
    ("unkey_", rf"unkey_[A-Za-z0-9]{{20,40}}{_END}"),
    ("ory_", r"ory_(?:pat|st|at|rt|ac)_[A-Za-z0-9_-]{30,120}"),
    ("xaat- xapt-", r"xa[ap]t-[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}"),
    ("api-", r"api-[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}"),
    ("astracs:", rf"AstraCS:[A-Za-z0-9:]{{20,120}}{_END}"),
    ("dt0c01. dt0s01.", r"dt0[cs]01\.[A-Za-z0-9]{24}\.[A-Za-z0-9]{60,70}"),
    ("nrii- nriq- nrsp-", rf"NR(?:II|IQ|SP)-[A-Za-z0-9-]{{30,44}}{_END}"),
    # code, packages, builds and watching
    ("api-", rf"API-(?=[A-Z0-9]{{0,40}}\d)(?=[A-Z0-9]{{0,40}}[A-Z])[A-Z0-9]{{25,40}}{_END}"),
    ("cmvmd", rf"cmVmd[A-Za-z0-9]{{55,65}}{_END}"),
    ("bbdc-", r"BBDC-[A-Za-z0-9+/=]{32,80}"),
    ("atctt3 atat", r"AT(?:CTT3|AT[A-Za-z0-9])[A-Za-z0-9_=-]{90,250}"),
    ("atta", rf"ATTA[a-f0-9]{{64,72}}{_END}"),
    (
        "bkaa_ bkaj_ bkar_ bkct_ bkpt_ bkpat_ bkps_ bkua_",
        r"bk(?:a[ajr]|ct|p[st]|pat|ua)_[A-Za-z0-9_-]{40,400}",
    ),
    ("clojars_", rf"(?i:CLOJARS)_[a-z0-9]{{50,70}}{_END}"),
    ("csa_", rf"csa_[A-Za-z0-9]{{34,44}}{_END}"),
    ("ion_", rf"ion_[A-Za-z0-9]{{40,50}}{_END}"),
    ("pat. sat.", r"[ps]at\.[A-Za-z0-9_-]{22}\.[A-Za-z0-9]{24}\.[A-Za-z0-9]{20}"),
    ("mergify_", r"mergify_application_key_[A-Za-z0-9_-]{40,200}"),
    ("endr+", r"endr\+[A-Za-z0-9-]{16,40}"),
    ("aik_", rf"AIK_(?:CI|SECRET)_[A-Za-z0-9]{{20,70}}{_END}"),
    ("sgp_", rf"sgp_(?:local_|[a-fA-F0-9]{{16}}_)?[A-Za-z0-9]{{40,64}}{_END}"),
    ("rootly_", rf"rootly_[a-f0-9]{{60,70}}{_END}"),
    ("vtwn_ tss_ lip_ nyk_ cog_ apk_", r"(?:vtwn|tss|lip|nyk|cog|apk)_[A-Za-z0-9+/_-]{20,200}={0,2}"),
    ("waka_", rf"waka_[a-z0-9-]{{32,64}}{_END}"),
    # models
    ("bsa", rf"BSA(?=[\w-]{{0,40}}\d)(?=[\w-]{{0,40}}[a-z])[A-Za-z0-9_-]{{24,40}}{_END}"),
    ("llx-", rf"llx-[A-Za-z0-9]{{40,60}}{_END}"),
    ("lsv2_", r"lsv2_(?:pt|sk)_[a-fA-F0-9]{32}_[a-fA-F0-9]{10}"),
    ("phx_ phs_", rf"ph[xs]_[A-Za-z0-9_-]{{40,60}}{_END}"),
    ("napi_", rf"napi_[A-Za-z0-9]{{50,80}}{_END}"),
    ("pnu_ pnb_", rf"pn[bu]_[A-Za-z0-9]{{36}}{_END}"),
    ("rpa_", rf"rpa_{_MIXED}[A-Za-z0-9]{{30,50}}{_END}"),
    ("sk_car_", rf"sk_car_[A-Za-z0-9_]{{20,40}}{_END}"),
    ("m0-", rf"m0-{_MIXED}[A-Za-z0-9]{{36,44}}{_END}"),
    # payment, mail, shops, papers and identity
    ("p8e-", rf"p8e-[A-Za-z0-9_-]{{30,36}}{_END}"),
    ("mlsn.", rf"mlsn\.[A-Za-z0-9]{{32,100}}{_END}"),
    ("cnvca", rf"cnvca[A-Za-z0-9_-]{{50,56}}{_END}"),
    ("pina_", r"pina_[A-Za-z0-9_-]{40,200}"),
    ("polar_", r"polar_(?:at|oat|pat|rt|st|ci|cs)_(?:[uo]_)?[A-Za-z0-9_-]{30,120}"),
    ("persona_ mercury_", r"(?:persona|mercury)_(?:production|sandbox)_[A-Za-z0-9_-]{30,120}"),
    ("xnd_", r"xnd_(?:production|development)_[A-Za-z0-9]{40,80}"),
    ("prf_", rf"prf_(?=[A-Za-z0-9_-]{{0,40}}\d)[A-Za-z0-9_-]{{32,48}}{_END}"),
    ("os_v2_", rf"os_v2_(?:app|org)_[a-z0-9]{{60,120}}{_END}"),
    ("sbp_", rf"sbp_[a-z0-9_-]{{40}}{_END}"),
    (
        "sc_ ext_ scauth_ authress_",
        r"(?:sc|ext|scauth|authress)_[a-z0-9]{5,30}\.[a-z0-9]{4,6}\.acc[_-][a-z0-9-]{10,32}\.[A-Za-z0-9+/_=-]{30,120}",
    ),
    (
        "api_live. api_live_us. api_live_ca. api_sandbox.",
        r"api_(?:live|sandbox)(?:_[a-z]{2})?\.[A-Za-z0-9_-]{24,100}",
    ),
    ("s-s4t2", r"s-s4t2(?:ud|af)-[a-fA-F0-9]{64}"),
    ("ramp_sec_", rf"ramp_sec_[A-Za-z0-9]{{40,60}}{_END}"),
    ("sm_aat_ sm_pat_ sm_sat_", rf"sm_[aps]at_[A-Za-z0-9]{{16}}{_END}"),
    ("sg.", rf"SG\.[A-Za-z0-9_=.-]{{60,70}}{_END}"),
    ("xkeysib- xsmtpsib-", rf"x(?:key|smtp)sib-[a-fA-F0-9]{{64}}-[A-Za-z0-9]{{16}}{_END}"),
    ("flwseck_test- flwseck-", rf"FLWSECK(?:_TEST)?-[a-zA-Z0-9]{{12,40}}(?:-X)?{_END}"),
    ("mid-server-", rf"Mid-server-[A-Za-z0-9_-]{{14,40}}{_END}"),
    ("sb-mid-server-", rf"SB-Mid-server-[A-Za-z0-9_-]{{14,40}}{_END}"),
    ("key0", rf"KEY0[A-Z0-9]{{20,40}}_[A-Za-z0-9]{{16,30}}{_END}"),
    ("xoxd-", r"xoxd-[A-Za-z0-9%/+\\_-]{60,400}={0,2}"),
    ("cs_", rf"cs_[a-f0-9]{{40}}{_END}"),
    ("sk_live_ sk_test_", r"sk_(?:live|test)_a2V5[A-Za-z0-9+/_-]{20,200}={0,2}"),
    ("eyjtaxjv", r"eyJtaXJv[A-Za-z0-9_-]{40,200}"),
    ("zxlk", r"ZXlK[A-Za-z0-9+/_-]{48,8000}={0,2}"),
    ("jpuf_ lmnsqueezy_ kgat_", r"(?:KGAT|jpuf|lmnsqueezy)_[A-Za-z0-9_-]{24,80}"),
    ("lp_", rf"lp_[a-z0-9]{{40,48}}{_END}"),
)
"""Each stands at the beginning of a word."""

SHAPED: tuple[tuple[str, ...], ...] = (
    ("api.softlayer.com", r"api\.softlayer\.com/soap/v[\d.]{1,5}/([a-z0-9]{64})"),
    ("s.", r"s(?<![A-Za-z0-9_.]s)\.(?=(?:[A-Za-z]{0,20}\d){3})[A-Za-z0-9]{24}(?![A-Za-z0-9_(]|\.\w)"),
    ("$aact_", r"\$aact_(?:prod|hmlg)_[A-Za-z0-9_:-]{20,200}"),
    ("4b1d", rf"(?<![A-Za-z0-9])4b1d{_MIXED}[A-Za-z0-9]{{38}}{_END}"),
    ("_mmk", r"(?<![A-Za-z0-9_])[A-Za-z0-9]{6}_[A-Za-z0-9]{29}_mmk(?![A-Za-z0-9])"),
    (":a", r"(?<![A-Za-z0-9:])\d{7,16}:A[A-Za-z0-9_-]{34}(?![\w-])", r"\d:A[A-Za-z0-9_-]{34}"),
    ("==:", r"(?<![A-Za-z0-9+/])[A-Za-z0-9+/]{22}==:[A-Za-z0-9]{32}(?![A-Za-z0-9])"),
    ("00d", r"(?<![A-Za-z0-9])00D[A-Za-z0-9]{12}(?:[A-Za-z0-9]{3})?![A-Za-z0-9._]{60,260}"),
    ("|", r"(?<![A-Za-z0-9|])\d{1,17}\|[A-Za-z0-9_-]{27,60}(?![A-Za-z0-9|])", r"\d\|[A-Za-z0-9_-]{27}"),
    (
        (
            "_secret_ _secret- -secret- _token_ -token- _key_ -key- _apikey_ _sk_ -sk- _pat_ -pat- _oat_ _sat_ _rk_ "
            "_at_ secret_ secret- token_ token- key_ key- apikey_ apikey- pat_ sk_ oat_"
        ),
        (
            r"(?<![A-Za-z0-9_./-])(?![cp][ks]_|pub|client_)(?:[A-Za-z0-9]{1,16}[_-]){0,3}"
            r"(?:secret|token|key|apikey|sk|pat|oat|sat|rk|at)[_-](?:v[0-9][_-]|live[_-]|test[_-]|prod[_-])?"
            r"(?=[A-Za-z0-9]{0,60}\d)[A-Za-z0-9]{24,200}(?![A-Za-z0-9_./-])"
        ),
        r"[a-z0-9][_-][A-Za-z0-9]{24}",
    ),
    (
        "live_ live- prod_ prod- production_ production- sandbox_ test_ test- api_ api- auth_ access_ bot_",
        (
            r"(?<![A-Za-z0-9_./-])(?![cp][ks]_|pub|client_)(?:[A-Za-z0-9]{1,16}[_-]){0,3}"
            rf"(?:live|prod|production|sandbox|test|api|auth|access|bot)[_-]{_MIXED}[A-Za-z0-9]{{16}}[A-Za-z0-9_]{{8,184}}"
            r"(?![A-Za-z0-9./-])"
        ),
        r"[a-z][_-][A-Za-z0-9]{16}",
    ),
)
"""What stands anywhere, and the sign that it may; the values must look random."""
