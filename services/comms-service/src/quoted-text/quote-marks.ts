/**
 * How mail programs announce the mail that is answered, in the languages they are set to. Each pattern looks at a short
 * text that was cut to size before, and none repeats a repetition: a hostile mail costs no more than a long one.
 */

const anyOf = (words: string): string =>
  words
    .trim()
    .split(/\s*\|\s*/)
    .join('|');

const WROTE = anyOf(`
  wrote | a écrit | écrit | escribió | ha scritto | scritto | escreveu | schrieb | schreef | skrev | kirjoitti | napisał |
  napisał\\(a\\) | napisała | pisze | написал | написала | пише | пишет | написав | yazdı | a scris | έγραψε | írta | napsal |
  napsala | napísal | napisao | 写道 | 寫道 | 작성 | のメッセージ | 書きました`);

/** "On DATE, NAME wrote:", by its verb; in German, Dutch and the Nordic languages the name stands after it. */
const ATTRIBUTION = new RegExp(`(?:^|[\\s\\d,>\\p{Script=Han}\\p{Script=Hangul}])(?:${WROTE})(?:[\\s:：]|$)`, 'iu');
const ENDS_AS_ATTRIBUTION = /[:：]\s?-*$/u;
const ENDS_WITH_THE_VERB = new RegExp(`(?:${WROTE})\\s?-*$`, 'iu');
const DAY_OR_TIME = /\d{1,2}[:.h]\d{2}|\b(?:19|20)\d{2}/u;
const ADDRESS = /[^\s<>@]@[^\s<>@]/u;
const NAMED_AND_DATED = /[<[(][^\s<>()[\]@]+@[^\s<>()[\]@]+[>\])]\s?[:：]$/u;

export function isAttribution(text: string): boolean {
  if (!DAY_OR_TIME.test(text)) return false;
  if (ENDS_AS_ATTRIBUTION.test(text)) return ATTRIBUTION.test(text) || NAMED_AND_DATED.test(text);
  return ENDS_WITH_THE_VERB.test(text) && ATTRIBUTION.test(text) && ADDRESS.test(text);
}

/** Where an attribution may begin: only there are lines put together, so that no line of the answer is taken along. */
const OPENS = new RegExp(
  `^[\\s-]*(?:${anyOf(
    'On|Le|El|Il|Em|Am|Op|Den|Dnia|W dniu|In data|Pe|Dne|Dňa|Dana|În|La|Στις|Tarih|在|于|於|\\p{L}{1,4}\\.?,? \\d|\\d',
  )})[\\s\\d,.]`,
  'iu',
);
export const opensAttribution = (line: string): boolean => OPENS.test(line) && /\d/.test(line);

const labels = (words: string): RegExp => new RegExp(`^[\\s*]*(?:${anyOf(words)})[\\s*]?[:：]`, 'iu');
const FROM =
  labels(`From | Von | De | Van | Da | Fra | Från | Od | Lähettäjä | От | Від | Kimden | Από | Feladó | 发件人 |
  寄件者 | 差出人 | 보낸 사람`);
const SUBJECT =
  labels(`Subject | Betreff | Objet | Onderwerp | Oggetto | Asunto | Assunto | Emne | Ämne | Temat | Aihe |
  Тема | Konu | Θέμα | Tárgy | Předmět | Subiect | 主题 | 主旨 | 件名 | 제목`);
const OTHER =
  labels(`Sent | Date | To | Cc | Gesendet | Datum | An | Envoyé | Envoyé le | À | Verzonden | Aan | Inviato |
  Data | A | Enviado | Enviado el | Fecha | Para | Dato | Sendt | Til | Skickat | Till | Wysłano | Do | Lähetetty |
  Vastaanottaja | Отправлено | Дата | Кому | Надіслано | Gönderildi | Kime | Στάλθηκε | Προς | Küldve | Címzett |
  发送时间 | 收件人 | 日期 | 送信日時 | 宛先 | 보낸 날짜 | 받는 사람`);

/**
 * The head that Outlook and its like put above the mail they answer. A travel plan may say From and To as well: so a
 * subject is asked for, or the sender's address.
 */
export function isHeadOfMail(first: string, following: readonly string[]): boolean {
  if (!FROM.test(first)) return false;
  if (following.some((line) => SUBJECT.test(line))) return following.some((line) => OTHER.test(line));
  return ADDRESS.test(first) && following.some((line) => OTHER.test(line));
}

const RULE = '[-_*=]{2,}';
const DIVIDER = new RegExp(
  `^\\s?${RULE} ?(?:${anyOf(`original message | original appointment | reply message | oprindelig besked |
  message d['’]origine | message original | ursprüngliche nachricht | originalnachricht | mensaje original |
  messaggio originale | mensagem original | oorspronkelijk bericht | ursprungligt meddelande | opprinnelig melding |
  alkuperäinen viesti | oryginalna wiadomość | wiadomość oryginalna | исходное сообщение | original-nachricht |
  özgün ileti | 原始邮件 | 原邮件 | 元のメッセージ | 원본 메시지`)}) ?[-_*=]*$`,
  'iu',
);
const REPLY_ABOVE = /\b(?:reply|write|type your reply|respond) above this line\b/iu;
export const isDivider = (line: string): boolean => DIVIDER.test(line) || REPLY_ABOVE.test(line);

/** What somebody forwards is what he wants read. */
const FORWARDED = new RegExp(
  `^[\\s\\-_*=>]*(?:${anyOf(`begin forwarded message | forwarded message | weitergeleitete nachricht |
  anfang der weitergeleiteten nachricht | message transféré | début du message transféré | message réexpédié | mensaje reenviado |
  messaggio inoltrato | inizio messaggio inoltrato | mensagem encaminhada | doorgestuurd bericht | videresendt meddelelse |
  vidarebefordrat meddelande | videresendt melding | välitetty viesti | wiadomość przekazana | пересылаемое сообщение |
  转发的邮件 | 转发邮件 | 転送されたメッセージ`)})[\\s:：\\-_*=]*$`,
  'iu',
);
export const isForward = (line: string): boolean => FORWARDED.test(line);

/** `>:` alone is the end of an attribution that was broken within its address. */
export const isQuoted = (line: string): boolean => /^\s{0,3}[>|](?!:\s?$)/.test(line);
export const isBlank = (line: string): boolean => line.trim() === '';

/** RFC 3676 says "-- ", which many programs trim: nobody writes that for anything else. */
export const isSignatureDash = (line: string): boolean => /^-- ?$/.test(line);
/** Mailing lists and some programs have their own; people draw such lines between paragraphs, too. */
export const isSignatureRule = (line: string): boolean => /^(?:-{2,3}|_{2,}|={2,}|\+{2,4}) ?$/.test(line);

const SENT_FROM = new RegExp(
  `^(?:${anyOf(`Sent from | Sent via | Sent with | Get Outlook for | Gesendet von | Gesendet mit | Von meinem | Diese Nachricht wurde von meinem |
  Envoyé depuis | Envoyé de mon | Envoyé à partir de | Télécharger Outlook pour | Enviado desde | Enviado do | Enviado a partir do |
  Obtener Outlook para | Inviato da | Scarica Outlook per | Verzonden vanaf | Verstuurd vanaf | Sendt fra | Skickat från |
  Hämta Outlook för | Lähetetty | Wysłane z | Отправлено с | Отправлено из | Надіслано з | 发自我的 | iPhoneから送信`)})`,
  'iu',
);
export const isSentFrom = (line: string): boolean => SENT_FROM.test(line);

const CLOSING = new RegExp(
  `^(?:${anyOf(`(?:(?:kind|kindest|best|warm|warmest|many thanks and|thanks and|with kind|with best) )?regards | best wishes |
  best | cheers | sincerely | yours sincerely | yours faithfully | mit freundlichen grüßen | mit freundlichen grüssen |
  freundliche grüße | freundliche grüsse | viele grüße | viele grüsse | beste grüße | liebe grüße | mfg | (?:bien )?cordialement |
  bien à vous | bonne journée | bonne soirée | salutations distinguées | meilleures salutations | saludos | un saludo |
  saludos cordiales | cordiali saluti | distinti saluti | saluti | atenciosamente | cumprimentos | met vriendelijke groet |
  met vriendelijke groeten | vriendelijke groet | med venlig hilsen | venlig hilsen | mvh | med vänliga hälsningar | vänliga hälsningar |
  med vennlig hilsen | ystävällisin terveisin | z poważaniem | pozdrawiam | с уважением`)})[\\s,.!！]{0,3}$`,
  'iu',
);
export const isClosing = (line: string): boolean => CLOSING.test(line);
