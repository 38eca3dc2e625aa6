import { anyOf, isBlank, isRule } from './quote-marks.rules.ts';

/**
 * What ends a mail and says nothing: a name under a closing, what a phone adds, what a firm's lawyers want. Whoever adds a
 * sentence wants it read, so one sentence, date or number among the lines shows them all.
 */

const MOST_SIGN_OFFS = 6;
const LINES_OF_SIGNATURE = 12;
const LINES_AFTER_CLOSING = 6;
const LONGEST_LINE = 70;
const WORDS_OF_SENT_FROM = 10;

/** Where the sign-offs begin that end the lines before `end`; `end` if there are none. */
export function startOfSignOffs(lines: readonly string[], end: number): number {
  let start = end;
  for (let round = 0; round < MOST_SIGN_OFFS; round++) start = startOfSignature(lines, startOfFooter(lines, start));
  return start;
}

/** What of the last paragraph is nobody's words, as far as it reaches the end. */
function startOfFooter(lines: readonly string[], end: number): number {
  const last = lastWritten(lines, end);
  let start = end;
  for (let at = last; at >= 0 && last - at < LINES_OF_SIGNATURE && !isBlank(lines[at] ?? ''); at--)
    if (OPENS_FOOTER.test(lines[at] ?? '') && isFooter(lines.slice(at, last + 1).join(' '))) start = at;
  return start;
}

const isFooter = (paragraph: string): boolean => FOOTER.test(paragraph) && !/[?？؟]/.test(paragraph);

function lastWritten(lines: readonly string[], end: number): number {
  let last = end - 1;
  while (last >= 0 && isBlank(lines[last] ?? '')) last--;
  return last;
}

function startOfSignature(lines: readonly string[], end: number): number {
  const last = lastWritten(lines, end);
  for (let at = Math.max(0, last - LINES_OF_SIGNATURE * 2); at <= last; at++)
    if (isSignature(lines, at, last + 1)) return at;
  return end;
}

function isSignature(lines: readonly string[], at: number, end: number): boolean {
  const line = lines[at] ?? '';
  const after = lines.slice(at + 1, end).filter((next) => !isBlank(next));
  if (isSentFrom(line)) return startsParagraph(lines, at) && after.every((next) => isSentFrom(next) || isRule(next));
  if (isClosing(line)) return after.length <= LINES_AFTER_CLOSING && after.every(isOfSignature);
  if (after.length > LINES_OF_SIGNATURE) return false;
  if (line === '-- ') return isBelowDash(lines.slice(at + 1, end));
  return isSignatureRule(line) && !announces(lines[at - 1] ?? '') && after.every(isOfSignature) && namesSomebody(after);
}

/** "I will bring:", and a list below a line. */
const announces = (line: string): boolean => line.trimEnd().endsWith(':');

const namesSomebody = (lines: readonly string[]): boolean => lines.length <= 1 || lines.some(isContact);

/** Programs write "-- " and nobody else does: only under it may a motto stand, beside the name. */
function isBelowDash(lines: readonly string[]): boolean {
  const written = lines.findIndex((line) => !isBlank(line));
  const gap = lines.findIndex((line, at) => at > written && isBlank(line));
  const others = lines.slice(gap === -1 ? lines.length : gap).filter((line) => !isBlank(line));
  return [lines[written] ?? '', ...others].every(isOfSignature);
}

const startsParagraph = (lines: readonly string[], at: number): boolean =>
  isBlank(lines[at - 1] ?? '') || (!/^\p{Ll}/u.test(lines[at] ?? '') && !(lines[at - 1] ?? '').trimEnd().endsWith(','));

/** A name, a firm, a number of theirs: no sentence, no afterthought, no date, no number of a paper. */
const isOfSignature = (line: string): boolean =>
  isSentFrom(line) || isRule(line) || (line.length <= LONGEST_LINE && !isSentence(line) && !TELLS.test(line));

const TELLS = new RegExp(
  [
    '^\\s?(?:p\\.?\\s?p?\\.?[sd]|n\\.?b|з\\.?\\s?і|п\\.?\\s?с|附言|又及|ملاحظة)(?![\\p{L}])',
    '(?<![\\p{Nd}./-])\\p{Nd}{1,2}[./-]\\p{Nd}{1,2}[./-]\\p{Nd}{2,4}(?![\\p{Nd}./-])|\\p{Nd}{4}-\\p{Nd}{2}-\\p{Nd}{2}',
    '(?<![\\w@./:-])(?=\\p{Nd}*[A-Z])(?=[A-Z]*\\p{Nd})[A-Z\\p{Nd}]{6,}(?![\\w@.-])',
  ].join('|'),
  'iu',
);
const CONTACT = /[^\s@]@[^\s@]|https?:|www\.|\+?\p{Nd}(?:[\s()/.-]{0,2}\p{Nd}){6}/u;
const isContact = (line: string): boolean => CONTACT.test(line);

/** Words that speak to somebody, in small letters but where a sentence begins: no name has them, and no firm. */
const ADDRESSES = new RegExp(
  `(?<![\\p{L}\\p{M}.@])(?:${anyOf(`I | I['’]m | I['’]ll | me | my | you | your | we | please | Please | ich | Ich | mich | mir | mein | meine | meinen | wir | Wir |
  uns | bitte | Bitte | je | Je | moi | mon | mes | nous | vous | votre | yo | mi | mis | usted | ustedes | por favor | ho | mio | mia | eu | meu | minha |
  ben | bana | beni | benim | siz | size | lütfen | Lütfen | я | Я | мене | мені | мій | моя | моє | ви | вас | вам | ваш | прошу | будь ласка | Будь ласка |
  أنا | من فضلك | من فضلكم | يرجى | أرجو | ارجو | اتصل | اتصلوا`)})(?![\\p{L}\\p{M}@])|[我您你请請们們吗嗎]`,
  'u',
);
const HAN_OF_SENTENCE = 17;
const WORDS_OF_SENTENCE = 3;
const WORDS_WITHOUT_CASE = 5;

/** A question, what speaks to somebody, and where most words are written small; in doubt one. */
function isSentence(line: string): boolean {
  const words = line.trim().split(/\s+/);
  const small = words.filter((word) => /^\p{Ll}[\p{L}\p{M}'’-]*[.,;!]?$/u.test(word)).length;
  if (/[?？؟。；，]/u.test(line) || ADDRESSES.test(line)) return true;
  if (words.length >= WORDS_OF_SENTENCE && small * 2 >= words.length) return true;
  const uncased = words.filter((word) => /^\p{Lo}{2,}/u.test(word));
  if (/[.!]\s*$/u.test(line) && small + uncased.length > 0) return true;
  return uncased.length >= WORDS_WITHOUT_CASE || uncased.some((word) => word.length >= HAN_OF_SENTENCE);
}

/** Lines by which mailing lists and some programs begin a signature; people draw such lines between paragraphs, too. */
const isSignatureRule = (line: string): boolean => /^(?:-{2,3}|_{2,}|={2,}|\+{2,4}) ?$/.test(line);

const DEVICE = new RegExp(
  anyOf(`iphone | ipad | ipod | apple watch | android | samsung | galaxy | huawei | honor | xiaomi | redmi | oppo | vivo | oneplus | pixel | nokia |
  sony | xperia | htc | motorola | blackberry | windows | outlook | mail\\b | gmail | yahoo | proton | tuta | gmx | web\\.de | bluewin | thunderbird |
  my phone | mobile | smartphone | tablet | handy | telefon | téléphone | teléfono | telefono | telefone | móvil | celular | cellulare | portable |
  телефон | смартфон | هاتف | جوال | جهاز | 手机 | 手機 | 电话 | 邮箱`),
  'iu',
);
const SENT_FROM = new RegExp(
  `^(?:${anyOf(`Sent from | Sent via | Sent with | Get Outlook for | Gesendet von | Gesendet mit | Holen Sie sich Outlook für | Outlook für |
  Envoyé depuis | Envoyé de mon | Envoyé à partir de | Envoyé avec | Obtenez Outlook pour | Télécharger Outlook pour | Enviado desde |
  Enviado con | Enviado do | Enviado a partir do | Obtener Outlook para | Obtenga Outlook para | Obter o Outlook para | Inviato da | Scarica Outlook per |
  Ottieni Outlook per | Verzonden vanaf | Verstuurd vanaf | Sendt fra | Skickat från | Hämta Outlook för | Lähetetty | Wysłane z | Отправлено с |
  Отправлено из | Надіслано з | Надіслано із | Відправлено з | Отримати Outlook для | Отримайте Outlook для | أُرسلت من | أرسلت من | أرسل من |
  تم الإرسال من | مُرسل من | مرسل من | الحصول على Outlook | احصل على Outlook | 发自 | 發自 | 來自我的 | 来自我的 | 获取 Outlook | 取得 Outlook | 下载 Outlook`)})`,
  'iu',
);
/** Where the verb stands at the end. */
const SENT_FROM_END =
  /^(?:(?:Diese (?:Nachricht|E-?Mail) wurde )?von meinem .*(?:gesendet|verschickt)|.*(?:gönderildi|göndərildi|edinin|から送信|发送的?|傳送))[.。]?\s*$/iu;

const GOES_ON = new RegExp(
  `(?<!\\p{L})(?:${anyOf(`I | and | because | yesterday | today | ich | habe | und | weil | gestern | heute | je | et | car | hier | yo | y | porque | ayer | e | perché |
  ieri | ben | ve | çünkü | dün | я | і | та | бо | вчора | أنا | و | لأن | أمس`)})(?!\\p{L})|[我因昨今]天?`,
  'u',
);

/** Short, by a device or program, and nothing besides: "Sent via courier on Monday" is news. */
function isSentFrom(line: string): boolean {
  const said = line.replace(/ ?[<(]https?:\S*$/, '').trim();
  const longest = SENT_FROM_END.test(said) ? WORDS_OF_SENT_FROM : SENT_FROM.test(said) ? WORDS_OF_SENT_FROM - 3 : 0;
  const words = said.split(/\s+/);
  return (
    words.length <= longest &&
    DEVICE.test(said) &&
    !/[?？؟!:]/u.test(said) &&
    !GOES_ON.test(said.replace(/发自我的|從我的|从我的|來自我的|来自我的|發自我的/u, ''))
  );
}

const CLOSING = new RegExp(
  `^\\s?(?:${anyOf(`(?:(?:kind|kindest|best|warm|warmest|many thanks and|thanks and|with kind|with best) )?regards | best wishes |
  best | cheers | sincerely | yours sincerely | yours faithfully | mit freundlichen grüßen | mit freundlichen grüssen | mit freundlichem gruß |
  freundliche grüße | freundliche grüsse | viele grüße | viele grüsse | beste grüße | beste grüsse | liebe grüße | liebe grüsse | herzliche grüße |
  mfg | vg | lg | (?:bien )?cordialement | bien à vous | bonne journée | bonne soirée | salutations distinguées | meilleures salutations |
  sincères salutations | saludos | un saludo | un cordial saludo | saludos cordiales | atentamente | cordiali saluti | distinti saluti | saluti |
  atenciosamente | cumprimentos | met vriendelijke groet | met vriendelijke groeten | vriendelijke groet | med venlig hilsen | venlig hilsen | mvh |
  med vänliga hälsningar | vänliga hälsningar | med vennlig hilsen | ystävällisin terveisin | z poważaniem | pozdrawiam | с уважением |
  з повагою | з найкращими побажаннями | щиро ваш | щиро ваша | saygılarımla | saygılarımızla | saygılar | (?:i|İ)yi çalışmalar | sevgiler | selamlar |
  مع تحياتي | تحياتي | مع أطيب التحيات | مع خالص التحية | مع خالص التحيات | وتفضلوا بقبول فائق الاحترام | مع فائق الاحترام |
  此致 | 敬礼 | 此致敬礼 | 祝好 | 顺颂商祺 | 敬上`)})[\\s,.!！،，。]{0,3}$`,
  'iu',
);
const isClosing = (line: string): boolean => CLOSING.test(line);

/**
 * What lawyers, lists and scanners put below, whole paragraphs at the end. Each pattern needs the form of words that only
 * they use: that something is confidential, or came to the wrong person, customers write too.
 */
const OPENS_FOOTER = new RegExp(
  `^[\\s*_#-]*(?:${anyOf(`$ | confidential | disclaimer | important notice | legal notice | this (?:e-?mail|message|communication|transmission) |
  the (?:information|contents?) | if you | please consider | you (?:are receiving|received) this | to unsubscribe | virus |
  dies(?:e|er|es) | der inhalt | die information | vertraulich | hinweis | wenn sie | sollten sie | bitte (?:denken|prüfen) | ce(?:tte|t)? | les informations |
  avis | avertissement | si vous | sans virus | pensez | este | esta | la información | aviso | si usted | si no | questo | questa | il presente | le informazioni |
  avviso | se non | se você | as informações | dit | deze | indien | هذه | هذا | تحتوي | إن | إذا | إخلاء | تنبيه | bu | yasal | gizlilik | eğer |
  це | цей | ця | інформація | якщо | увага | застереження | 本 | 此 | 如 | 若 | 免责 | 保密 | 声明`)})`,
  'iu',
);
const FOOTER = new RegExp(
  anyOf(`^[_-]{2,}\\s.{0,80}mailing[ -]list\\s.{0,200}(?:@|https?:) |
  if you are not the (?:intended |named )?(?:recipient|addressee).{0,200}(?:delete|destroy|prohibited|notify|unlawful) |
  intended (?:only|solely|exclusively) for (?:the )?(?:use of )?(?:the )?(?:named |intended )?(?:addressee|recipient) |
  consider the environment before printing | you (?:are receiving|received) this (?:message|e-?mail) because you(?: are|['’]re) (?:subscribed|a member) |
  to unsubscribe from this (?:group|list)[^.]{0,60}(?:send|visit|click) | checked for viruses by | virus-free\\. | (?:frei von viren|auf viren (?:geprüft|überprüft)|virenfrei\\.) |
  (?:wenn|falls|sofern|sollten) sie nicht der (?:richtige|beabsichtigte|vorgesehene|bezeichnete) (?:adressat|empfänger).{0,200}(?:vernichten|löschen|gestattet|informieren) |
  (?:unerlaubte|unbefugte) (?:weitergabe|verwendung|nutzung|weiterleitung) dieser (?:e-?mail|nachricht) | si vous n['’]êtes pas (?:le|la) (?:bon )?destinataire.{0,200}(?:détruire|supprimer|effacer|interdit|avertir) |
  (?:usage|attention) exclusi(?:f|ve) (?:de |du |des )(?:son |ses |leurs? )?destinataires? | sans virus\\. | protection de l['’]environnement.{0,80}imprim |
  si (?:usted )?no es (?:usted )?el destinatario.{0,200}(?:borr|elimin|destru|prohib|notific|comuni) | dirigid[oa] (?:exclusivamente|únicamente) a su destinatari[oa] |
  se (?:lei )?non (?:è|siete) il destinatario.{0,200}(?:cancell|elimin|distrugg|viet|avvis) | se (?:você )?não (?:é|for) o destinatário.{0,200}(?:apag|elimin|destru|proib) |
  (?:als|indien) u niet de (?:beoogde ontvanger|geadresseerde|bedoelde ontvanger).{0,200}(?:verwijder|vernietig|verbod) |
  إذا لم تكن (?:أنت )?(?:المستلم|المرسل إليه|المتلقي|الشخص المقصود|المقصود).{0,200}(?:حذف|إتلاف|يحظر|إبلاغ|إخطار) |
  (?:alıcısı|muhatabı|ilgilisi) (?:siz )?değilseniz.{0,200}(?:sil|imha|yasak|bildir) |
  якщо ви не є (?:належним |зазначеним |передбачуваним |вказаним )?(?:адресатом|одержувачем|отримувачем).{0,200}(?:видал|знищ|заборон|повідом) |
  призначен[оаіий]+ (?:лише|виключно|тільки) для адресат |
  (?:如果?您?|若您?|倘若您?)(?:并非|不是|並非|非)(?:本邮件|本郵件|此邮件|指定|预期|預期|该邮件)?的?(?:指定|预期|預期)?(?:收件人|接收者|收件者).{0,100}(?:删除|刪除|销毁|銷毀|禁止|通知) |
  (?:仅|僅|只)供(?:指定|预期)?(?:的)?(?:收件人|收件者)`),
  'iu',
);
