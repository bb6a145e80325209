"""Keys and tokens that are known by how whoever gives them out begins them.

Rules kept here:

- A beginning is enough where no word of any language or code begins so; what follows it is of the length that the
  vendor gives it, so that a name in code (`rnd_state`, `ico-arrow`) is none.
- Only what opens something is a secret. An id of a key (`private_key_id`) or a key that stands in pages for all to see
  (`phc_...`) names one, and is needed to call it back.
- A vendor that nobody here has heard of begins its tokens as the others do: with a word that says so (`..._token_`,
  `..._sk_`), or where it holds (`live`, `prod`), and what follows is as no id or digest is. Such a value is judged.
"""

from __future__ import annotations

from palimpsest.summarize.secrets.looks.forms import BEGUN, form

_WRAP = r"\\{0,2}\r?\n[ \t+>|]{0,16}"
"""Where a terminal or an editor broke a line."""
_MIXED = r"(?=[A-Za-z0-9]{0,40}[a-z])(?=[A-Za-z0-9]{0,40}[A-Z])(?=[A-Za-z0-9]{0,40}\d)"
_END = r"(?![A-Za-z0-9])"
UPPER_DIGITS = r"[A-Z0-9]"

_BEGINNINGS = (
    # signed tokens
    ("eyj", r"eyJ[\w-]{8,4000}\.eyJ[\w-]{4,8000}(?:\.[\w-]{0,2000})?"),
    ("eyj", r"eyJ[\w-]{8,4000}(?:\.[\w-]{16,8000}){2}(?:\.[\w-]{16,8000}){0,2}"),
    ("sk.eyj tk.eyj", r"[st]k\.eyJ[\w-]{16,400}\.[\w-]{16,60}"),
    # clouds
    ("akia asia abia acca a3t", r"(?:A[KS]IA|ABIA|ACCA|A3T[A-Z0-9])[A-Z0-9]{16}(?![A-Za-z0-9])"),
    ("aiza", r"AIza[\w-]{30,60}"),
    ("ya29.", r"ya29\.[\w.-]{16,2000}"),
    ("gocspx-", r"GOCSPX-[\w-]{20,60}"),
    ("akid", r"AKID[A-Za-z0-9]{32}(?![A-Za-z0-9])"),
    ("dop_v1_ doo_v1_ dor_v1_", r"do[opr]_v1_[a-f0-9]{40,80}"),
    ("v1.0-", r"v1\.0-[a-f0-9]{24}-[a-f0-9]{100,160}"),
    ("hvs. hvb. hvr.", r"hv[sbr]\.[\w-]{20,200}"),
    (".atlasv1.", r"[A-Za-z0-9]{14}\.atlasv1\.[\w=-]{40,90}"),
    ("tskey-", r"tskey-[a-z]{2,12}-[\w-]{16,90}"),
    (
        "flyv1 fm2_ fo1_",
        r"(?:FlyV1 )?f(?:m2|o1)_[A-Za-z0-9+/=_-]{30,4000}(?:,f(?:m2|o1)_[A-Za-z0-9+/=_-]{30,4000}){0,8}",
    ),
    ("hrku-", r"HRKU-[\w-]{30,80}"),
    ("dapi", r"dapi[a-f0-9]{32}(?:-\d)?(?![A-Za-z0-9])"),
    ("pul-", r"pul-[a-f0-9]{40}"),
    ("pscale_", r"pscale_(?:tkn|pw|oauth)_[\w.=-]{30,70}"),
    ("sbp_ sb_secret_", r"(?:sbp_[a-f0-9]{36,44}|sb_secret_[\w-]{20,60})"),
    # code hosts, builds and packages
    ("ghp_ gho_ ghu_ ghs_ ghr_", r"gh[pousr]_[A-Za-z0-9]{20,255}"),
    ("github_pat_", r"github_pat_[A-Za-z0-9_]{20,255}"),
    (
        "glpat- gldt- glrt- glcbt- glptt- glft- gloas- glsoat- glimt- glagent- glffct-",
        r"gl[a-z]{2,6}-[\w.-]{18,120}",
    ),
    ("atbb atatt3", r"AT(?:BB|ATT3)[\w=-]{24,250}"),
    ("gr1348941", r"GR1348941[\w-]{18,30}"),
    ("npm_", r"npm_[A-Za-z0-9]{30,40}(?![A-Za-z0-9])"),
    ("pypi-", r"pypi-A[\w-]{40,400}"),
    ("rubygems_", r"rubygems_[a-f0-9]{40,60}"),
    ("dckr_pat_ dckr_oat_", r"dckr_[po]at_[\w-]{20,60}"),
    ("ccipat_ ccipprj_", r"CCIP(?:AT|PRJ)_[\w-]{20,120}"),
    ("bkua_", r"bkua_[a-f0-9]{30,50}"),
    ("sntrys_ sntryu_", r"sntry[su]_[A-Za-z0-9_+/=-]{30,300}"),
    ("nrak- nrjs- nraa-", r"NR(?:AK|JS|AA)-[A-Za-z0-9]{19,44}"),
    ("glsa_ glc_", r"gl(?:sa|c)_[A-Za-z0-9+/_=]{30,400}"),
    ("pmak-", r"PMAK-[a-f0-9]{20,26}-[a-f0-9]{30,38}"),
    ("dp.pt. dp.st. dp.ct.", r"dp\.[a-z]{2,6}\.(?:[\w-]{2,35}\.)?[A-Za-z0-9]{40,46}"),
    ("lin_api_ lin_oauth_", r"lin_(?:api|oauth)_[A-Za-z0-9]{32,70}"),
    ("ops_eyj", r"ops_eyJ[A-Za-z0-9+/=_-]{40,4000}"),
    ("a3-", r"A3-[A-Z0-9]{6}-(?:[A-Z0-9]{5,11}-){3,5}[A-Z0-9]{5}"),
    # models
    ("sess-", r"sess-[A-Za-z0-9]{30,60}"),
    ("hf_ api_org_", r"(?:hf|api_org)_[A-Za-z0-9]{24,60}(?![A-Za-z0-9])"),
    ("gsk_", r"gsk_[A-Za-z0-9]{30,80}"),
    # payment, mail, messages, shops, desks
    ("sk_ rk_", r"[sr]k_(?:live|test|prod)_[A-Za-z0-9]{10,250}"),
    ("whsec_", r"whsec_[A-Za-z0-9+/=]{20,90}"),
    ("sq0 eaaa", r"(?:sq0[a-z]{3}-[\w-]{20,50}|EAAA[\w-]{56,64})"),
    ("shpat_ shpca_ shppa_ shpss_", r"shp(?:at|ca|pa|ss)_[a-fA-F0-9]{32}"),
    ("sg.", r"SG\.[\w-]{16,32}\.[\w-]{30,64}"),
    ("-us", r"[0-9a-f]{32}-us\d{1,2}(?![0-9])"),
    ("xox", r"xox[a-z](?:\.xox[a-z])?-[A-Za-z0-9-]{10,250}"),
    ("xapp-", r"xapp-\d-[A-Za-z0-9-]{20,200}"),
    (":aa", r"\d{8,10}:AA[\w-]{32,36}"),
    ("ntn_ secret_", r"(?:ntn_[A-Za-z0-9]{40,60}|secret_[A-Za-z0-9]{40,50})(?![A-Za-z0-9])"),
    ("figd_", r"figd_[\w-]{30,60}"),
    ("pat-", r"pat-[a-z]{2}\d-[a-f0-9]{8}(?:-[a-f0-9]{4}){3}-[a-f0-9]{12}"),
    ("eaa", r"EAA[A-Za-z0-9]{80,300}"),
    ("sl.", r"sl\.[A-Za-z0-9_-]{100,1500}"),
    # data, clouds and what runs there
    ("t1.9eu", r"t1\.9eu[\w-]{0,4}\.[\w-]{20,400}\.[\w-]{80,100}"),
    ("aqvn", r"AQVN[A-Za-z0-9_-]{34,40}(?![\w-])"),
    ("dnkey-", rf"dnkey-{UPPER_DIGITS}{{26}}-{UPPER_DIGITS}{{50,54}}"),
    ("ico-", r"ico-[A-Za-z0-9]{32}(?![\w-])"),
    ("nfp_", r"nfp_[A-Za-z0-9]{34,44}(?![A-Za-z0-9])"),
    ("rnd_", r"rnd_[A-Za-z0-9]{26,32}(?![A-Za-z0-9])"),
    ("cfut_ cfat_", r"cf[ua]t_[A-Za-z0-9_-]{38,60}"),
    ("absk", r"ABSK[A-Za-z0-9+/]{100,260}={0,2}"),
    ("bedrock-api-key-", r"bedrock-api-key-[A-Za-z0-9+/=_-]{40,2000}"),
    ("apify_api_", r"apify_api_[A-Za-z0-9]{30,50}(?![A-Za-z0-9])"),
    ("nral", r"[a-f0-9]{36}NRAL(?![A-Za-z0-9])"),
    ("ddapp_", r"ddapp_[A-Za-z0-9]{30,40}(?![A-Za-z0-9])"),
    ("hcaik_", r"hcaik_[a-z0-9]{50,64}(?![A-Za-z0-9])"),
    ("azdo", r"[A-Za-z0-9]{70,80}AZDO[A-Za-z0-9]{4}(?![A-Za-z0-9])"),
    ("sdk-", r"(?:sdk|mob)-[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}(?![\w-])"),
    ("y0_", r"y0_[A-Za-z0-9_-]{50,64}(?![\w-])"),
    ("t1.", r"t1\.[A-Za-z0-9_-]{20,400}\.[A-Za-z0-9_-]{80,100}"),
    # code, packages and builds
    ("snyk_", r"snyk_[us]at\.[a-f0-9]{8}\.[\w.-]{30,120}"),
    ("oy2", r"oy2[a-z0-9]{43}(?![A-Za-z0-9])"),
    ("hexpm_", r"hexpm_[A-Za-z0-9]{30,60}(?![A-Za-z0-9])"),
    ("st.", r"st\.[a-f0-9-]{20,40}\.[a-f0-9]{32}\.[a-f0-9]{32}(?![a-f0-9])"),
    ("ser.", r"ser\.[A-Za-z0-9]{22}(?![A-Za-z0-9])"),
    ("slk_", r"slk_[a-f0-9]{64}(?![A-Za-z0-9])"),
    ("glrtr-", r"glrtr-[\w-]{20,60}"),
    ("akcp", r"AKCp[A-Za-z0-9]{60,80}(?![A-Za-z0-9])"),
    ("cmvmdgtu", r"cmVmdGtu[A-Za-z0-9]{50,60}(?![A-Za-z0-9])"),
    ("bbdc-", r"BBDC-[A-Za-z0-9+/@_-]{40,50}"),
    ("rdme_", r"rdme_[a-z0-9]{60,80}(?![A-Za-z0-9])"),
    # models and what watches them
    ("pcsk_", r"pcsk_[A-Za-z0-9]{4,6}_[A-Za-z0-9]{50,80}(?![A-Za-z0-9])"),
    ("wandb_v1_", r"wandb_v1_[A-Za-z0-9_]{60,100}(?![A-Za-z0-9])"),
    ("pa-", r"pa-(?=[\w-]{0,40}\d)(?=[\w-]{0,40}[A-Z])[A-Za-z0-9_-]{40,46}(?![\w-])"),
    ("co-", r"co-(?=[A-Za-z0-9]{0,40}\d)(?=[A-Za-z0-9]{0,40}[A-Z])[A-Za-z0-9]{38,42}(?![\w-])"),
    ("ms-", r"ms-[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}(?![\w-])"),
    ("e2b_", r"e2b_[a-f0-9]{40}(?![A-Za-z0-9])"),
    ("ls__", r"ls__[a-f0-9]{32}(?![A-Za-z0-9])"),
    ("eyjrijoi", r"eyJrIjoi[A-Za-z0-9+/]{60,400}={0,3}"),
    ("fal", r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}:([0-9a-f]{32})(?![0-9a-f])"),
    # payment, mail, forms and desks
    ("pdl_live_ pdl_sdbx_", r"pdl_(?:live|sdbx)_apikey_[a-z0-9]{26}_[\w-]{20,40}"),
    (
        "access-",
        r"access-(?:production|sandbox|development)-[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}(?![\w-])",
    ),
    ("aqe", r"AQE[A-Za-z0-9]{40,400}-[A-Za-z0-9+/=]{20,60}-?[\w&+/=]{0,20}"),
    ("whsk_", r"whsk_[A-Za-z0-9]{28,64}(?![A-Za-z0-9])"),
    ("pk_", r"pk_\d{6,12}_[A-Z0-9]{32}(?![A-Za-z0-9])"),
    ("1/", r"1/\d{14,18}:[a-f0-9]{32}(?![A-Za-z0-9])"),
    ("sec", r"SEC[a-f0-9]{64}(?![A-Za-z0-9])"),
    ("t-g1", r"[tu]-g1[A-Z0-9]{36,44}(?![A-Za-z0-9])"),
    # people's accounts
    ("igqv", r"IGQV[A-Za-z0-9_-]{80,400}"),
    ("aaaaaaaaaaaaaaaaaaaaa", r"A{21}[A-Za-z0-9%]{60,120}(?![A-Za-z0-9%])"),
    ("aqx", r"AQX(?=[\w-]{0,60}\d)[A-Za-z0-9_-]{120,600}(?![\w-])"),
    ("nsec1", r"nsec1[ac-hj-np-z02-9]{58}(?![A-Za-z0-9])"),
    ("ezak eztk", r"EZ[AT]K[A-Za-z0-9]{54}(?![A-Za-z0-9])"),
    ("fio-u-", r"fio-u-[A-Za-z0-9_=-]{60,70}"),
    ("shippo_live_ shippo_test_", r"shippo_(?:live|test)_[a-fA-F0-9]{40}(?![A-Za-z0-9])"),
    ("samsara_api_", r"samsara_api_[A-Za-z0-9]{24,40}(?![A-Za-z0-9])"),
    ("tfp_", r"tfp_[A-Za-z0-9_.=-]{40,64}"),
    ("duffel_live_ duffel_test_", r"duffel_(?:live|test)_[A-Za-z0-9_=-]{40,50}"),
    ("dg9rom", r"dG9rOm[A-Za-z0-9+/]{40,60}={0,2}"),
    ("cfpat-", r"CFPAT-[A-Za-z0-9_-]{40,50}"),
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
    ("flyv1", r"FlyV1 (?!f(?:m2|o1)_)[A-Za-z0-9+/=_,-]{40,4000}"),
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
    ("sg.", rf"SG\.[A-Za-z0-9_=.-]{{59,69}}[A-Za-z0-9_=-]{_END}"),
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

VENDORS = (
    *(form(words, BEGUN + pattern) for words, pattern in _BEGINNINGS),
    # armoured keys, whole or cut off
    form(
        "accountkey keyname key1 sharedaccesskey primarykey azure",
        r"(?<![\w+/=-])(?<!sha512-)(?<!ash\": \")(?<!512\": \")(?<!512\":\")(?<!ash\":\")"
        r"([A-Za-z0-9+/]{86}==)(?![\w+/=])",
        sign=r"[A-Za-z0-9+/]{86}==",
    ),
    form(
        "primarykey secondarykey masterkey keyname",
        r"\"(?:(?:primary|secondary)(?:Readonly)?(?:Master)?Key|keyName\"\s?:\s?\"key[12]\"[^{}]{0,120}\"value)\""
        r"\s?:\s?\"([A-Za-z0-9+/]{43}=|[A-Za-z0-9+/]{86}==)\"",
    ),
    form("age-secret-key-1", r"AGE-SECRET-KEY-1[A-Z0-9]{30,80}"),
    # signed tokens
    form(
        "eyj",
        BEGUN
        + rf"eyJ[\w-]{{8,4000}}(?:{_WRAP}[\w-]{{1,400}}){{0,40}}(?:{_WRAP})?\.(?:{_WRAP})?eyJ[\w-]{{4,8000}}"
        rf"(?:{_WRAP}[\w-]{{1,400}}){{0,40}}(?:{_WRAP})?\.(?:{_WRAP})?[\w-]{{1,2000}}"
        rf"(?:{_WRAP}(?=[\w-]{{0,400}}\d)(?=[\w-]{{0,400}}[A-Z])[\w-]{{8,400}}(?=[\"'\s]|\Z)){{0,20}}",
    ),
    form("apa91b", r"(?<![\w-])AAAA[\w-]{7}:APA91b[\w-]{60,200}"),
    # clouds
    form("q~", r"(?<![\w~.-])[\w~.]{3}\dQ~[\w~.-]{30,36}"),
    form("1//0", r"(?<![\w/:.])1//0[\w-]{20,400}"),
    form("ltai", BEGUN + r"LTAI[A-Za-z0-9]{12,30}(?![A-Za-z0-9])", judged=True),
    # code hosts, builds and packages
    form("cio", BEGUN + r"cio[A-Za-z0-9]{32}(?![A-Za-z0-9])", judged=True),
    # models
    form("sk-", BEGUN + r"sk-(?!ecdsa|ssh)(?:[a-z]{2,12}\d{0,2}-){0,4}[A-Za-z0-9_-]{16,300}", judged=True),
    form(
        "xai- pplx- nvapi- jina_ tvly- fc-",
        BEGUN + r"(?:xai|pplx|nvapi|tvly|fc)-[A-Za-z0-9_-]{20,120}|" + BEGUN + r"jina_[A-Za-z0-9]{30,90}",
        judged=True,
    ),
    form(
        "r8_ tgp_v1_ fw_ csk- esecret_",
        r"(?<![\w-])(?:r8_|tgp_v1_|fw_|csk-|esecret_)[A-Za-z0-9_-]{20,90}",
        judged=True,
    ),
    # payment, mail, messages, shops, desks
    form("access_token$", r"access_token\$(?:production|sandbox)\$[0-9a-z]{16}\$[0-9a-f]{32}"),
    form("sk", r"S(?<![A-Za-z0-9_].)K[0-9a-f]{32}(?![A-Za-z0-9])"),
    form("re_", BEGUN + r"re_[A-Za-z0-9]{6,10}_[A-Za-z0-9]{16,40}", judged=True),
    form("hooks.slack.com", r"hooks\.slack\.com/(?:services|workflows|triggers)/([A-Za-z0-9+/]{30,120})"),
    form("/api/webhooks/", r"discord(?:app)?\.com/api/webhooks/(\d{10,24}/[\w-]{40,120})"),
    form("webhook.office.com", r"webhook\.office\.com/(\S{40,300})"),
    form(
        ".",
        BEGUN + r"[MNO][A-Za-z0-9_-]{22,28}\.[\w-]{6}\.[\w-]{27,40}(?![\w-])",
        sign=r"\.[\w-]{6}\.[\w-]{27}",
    ),
    form("pat", r"pat(?<![A-Za-z0-9_]pat)[A-Za-z0-9]{14}\.[a-f0-9]{40,70}"),
    # addresses that whoever knows them may post to
    form(":fx", r"(?<![A-Za-z0-9-])[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}:fx(?![A-Za-z0-9])"),
    form("/bot", r"/bot(\d{8,10}:AA[\w-]{32,36})"),
    form("office.com/webhook", r"office\.com/webhook\w{0,3}/([\w@/-]{40,300})"),
    form("/v2/hook/", r"/bot/v2/hook/([0-9a-f-]{36})"),
    form("hooks.zapier.com", r"hooks\.zapier\.com/hooks/catch/(\d{4,10}/\w{5,20})"),
    form("/with/key/", r"/with/key/([\w-]{20,60})"),
    # keys by their parts and their files
    form("squ_ sqp_ sqa_", r"(?<![A-Za-z0-9_])sq[upa]_[a-f0-9]{40}(?![A-Za-z0-9])"),
    # variables and messages
    form("token=s.", r"(?i:token)=[\"']?(s\.[A-Za-z0-9]{20,40})(?!\w)"),
    # further
    form("api.softlayer.com", r"api\.softlayer\.com/soap/v[\d.]{1,5}/([a-z0-9]{64})", judged=True),
    form(
        "s.",
        r"s(?<![A-Za-z0-9_.]s)\.(?=(?:[A-Za-z]{0,20}\d){3})[A-Za-z0-9]{24}(?![A-Za-z0-9_(]|\.\w)",
        judged=True,
    ),
    form("$aact_", r"\$aact_(?:prod|hmlg)_[A-Za-z0-9_:-]{20,200}", judged=True),
    form("4b1d", rf"(?<![A-Za-z0-9])4b1d{_MIXED}[A-Za-z0-9]{{38}}{_END}", judged=True),
    form("_mmk", r"(?<![A-Za-z0-9_])[A-Za-z0-9]{6}_[A-Za-z0-9]{29}_mmk(?![A-Za-z0-9])", judged=True),
    form(
        ":a", r"(?<![A-Za-z0-9:])\d{7,16}:A[A-Za-z0-9_-]{34}(?![\w-])", r"\d:A[A-Za-z0-9_-]{34}", judged=True
    ),
    form("==:", r"(?<![A-Za-z0-9+/])[A-Za-z0-9+/]{22}==:[A-Za-z0-9]{32}(?![A-Za-z0-9])", judged=True),
    form("00d", r"(?<![A-Za-z0-9])00D[A-Za-z0-9]{12}(?:[A-Za-z0-9]{3})?![A-Za-z0-9._]{60,260}", judged=True),
    form(
        "|",
        r"(?<![A-Za-z0-9|])\d{1,17}\|[A-Za-z0-9_-]{27,60}(?![A-Za-z0-9|])",
        r"\d\|[A-Za-z0-9_-]{27}",
        judged=True,
    ),
    form(
        "_secret_ _secret- -secret- _token_ -token- _key_ -key- _apikey_ _sk_ -sk- _pat_ -pat- _oat_ _sat_ _rk_ "
        "_at_ secret_ secret- token_ token- key_ key- apikey_ apikey- pat_ sk_ oat_",
        r"(?<![A-Za-z0-9_./-])(?![cp][ks]_|pub|client_)(?:[A-Za-z0-9]{1,16}[_-]){0,3}"
        r"(?:secret|token|key|apikey|sk|pat|oat|sat|rk|at)[_-](?:v[0-9][_-]|live[_-]|test[_-]|prod[_-])?"
        r"(?=[A-Za-z0-9]{0,60}\d)[A-Za-z0-9]{24,200}(?![A-Za-z0-9_./-])",
        r"[a-z0-9][_-][A-Za-z0-9]{24}",
        judged=True,
    ),
    form(
        "live_ live- prod_ prod- production_ production- sandbox_ test_ test- api_ api- auth_ access_ bot_",
        r"(?<![A-Za-z0-9_./-])(?![cp][ks]_|pub|client_)(?:[A-Za-z0-9]{1,16}[_-]){0,3}"
        rf"(?:live|prod|production|sandbox|test|api|auth|access|bot)[_-]{_MIXED}[A-Za-z0-9]{{16}}[A-Za-z0-9_]{{8,184}}"
        r"(?![A-Za-z0-9./-])",
        r"[a-z][_-][A-Za-z0-9]{16}",
        judged=True,
    ),
)
