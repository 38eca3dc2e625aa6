/**
 * How mail programs announce the mail that is answered, in the languages they are set to. Each pattern looks at a short
 * text that was cut to size before, and none repeats a repetition: a hostile mail costs no more than a long one.
 */

export const anyOf = (words: string): string =>
  words
    .trim()
    .split(/\s+\|\s+/)
    .join('|');

const WROTE = anyOf(`
  wrote | a écrit | écrit | escribió | ha scritto | scritto | escreveu | schrieb | geschrieben | schreef | skrev | kirjoitti |
  napisał | napisał\\(a\\) | napisała | pisze | написал | написала | пише | пишет | написав | написав\\(-ла\\) | yazdı |
  a scris | έγραψε | írta | napsal | napsala | napísal | napisao | كتب | كتبت | كتب/كتبت | تمت كتابة ما يلي بواسطة | 写道 | 寫道 | 写到 |
  작성 | のメッセージ | 書きました`);

/** "On DATE, NAME wrote:", by its verb; in German, Dutch and the Nordic languages the name stands after it. */
const ATTRIBUTION = new RegExp(`(?:^|[\\s\\d,>\\p{Script=Han}\\p{Script=Hangul}])(?:${WROTE})(?:[\\s:：]|$)`, 'iu');
const ENDS_AS_ATTRIBUTION = /[:：]\s?-*$/u;
const ENDS_WITH_THE_VERB = new RegExp(`(?:${WROTE})\\s?-*$`, 'iu');
const DAY_OR_TIME = /\p{Nd}{1,2}[:.h]\p{Nd}{2}|(?<!\p{Nd})(?:19|20|١٩|٢٠)\p{Nd}{2}/u;
const ADDRESS = /[^\s<>@]@[^\s<>@]/u;
const NAMED_AND_DATED = /[<[(][^\s<>()[\]@]+@[^\s<>()[\]@]+[>\])]\s?[:：]$/u;

export function isAttribution(text: string): boolean {
  if (!DAY_OR_TIME.test(text)) return false;
  if (ENDS_AS_ATTRIBUTION.test(text)) return ATTRIBUTION.test(text) || NAMED_AND_DATED.test(text);
  return ENDS_WITH_THE_VERB.test(text) && ATTRIBUTION.test(text) && ADDRESS.test(text);
}

export const hasAddressOrTime = (text: string): boolean =>
  ADDRESS.test(text) || /\p{Nd}{1,2}[:.h]\p{Nd}{2}(?![.\p{Nd}])/u.test(text);

/** "On 5 May at 10:00 the office wrote to me:" is somebody's own sentence, while programs name those who wrote alone. */
const TO_ME = new RegExp(
  `(?<!\\p{L})(?:${anyOf(`me | us | mir | uns | m['’]a | nous a | nous ont | m['’]ont | nos ha | mi ha | ci ha | bana | bize | мені | нам | мне | إلي | لي | لنا`)})(?!\\p{L})`,
  'u',
);
export const isToldToMe = (text: string): boolean => !ADDRESS.test(text) && TO_ME.test(text);

/** Where an attribution may begin: only there are lines put together, so that no line of the answer is taken along. */
const OPENS = new RegExp(
  `^[\\s-]*(?:${anyOf(
    'On|Le|El|En|Il|Em|Am|Op|Den|Dnia|W dniu|In data|Pe|Dne|Dňa|Dana|În|La|Στις|Tarih|في|بتاريخ|在|于|於|\\p{L}{1,4}\\.?,? \\d|\\p{Nd}',
  )})[\\s\\p{Nd},.]`,
  'iu',
);
export const opensAttribution = (line: string): boolean => OPENS.test(line) && /\p{Nd}/u.test(line);

const labels = (words: string): RegExp => new RegExp(`^[\\s*]*(?:${anyOf(words)})[\\s*]?[:：]`, 'iu');
const FROM =
  labels(`From | Von | De | Van | Da | Fra | Från | Od | Lähettäjä | От | Від | Kimden | Από | Feladó | من | 发件人 |
  寄件者 | 寄件人 | 差出人 | 보낸 사람`);
const SUBJECT =
  labels(`Subject | Betreff | Objet | Onderwerp | Oggetto | Asunto | Assunto | Emne | Ämne | Temat | Aihe |
  Тема | Konu | Θέμα | Tárgy | Předmět | Subiect | الموضوع | 主题 | 主題 | 主旨 | 件名 | 제목`);
const OTHER =
  labels(`Sent | Date | To | Cc | Gesendet | Datum | An | Envoyé | Envoyé le | À | Verzonden | Aan | Inviato |
  Data | A | Enviado | Enviado el | Fecha | Para | Dato | Sendt | Til | Skickat | Till | Wysłano | Do | Lähetetty |
  Vastaanottaja | Отправлено | Дата | Кому | Надіслано | Gönderildi | Gönderilme Tarihi | Tarih | Kime | تم الإرسال | تاريخ الإرسال | التاريخ | إلى | Στάλθηκε | Προς | Küldve | Címzett |
  发送时间 | 收件人 | 收件者 | 日期 | 已傳送 | 送信日時 | 宛先 | 보낸 날짜 | 받는 사람`);

/**
 * The head that Outlook and its like put above the mail they answer. A travel plan may say From and To as well: so a
 * subject is asked for, or the sender's address.
 */
export function isHeadOfMail(first: string, following: readonly string[]): boolean {
  if (!FROM.test(first)) return false;
  if (following.some((line) => SUBJECT.test(line))) return following.some((line) => OTHER.test(line));
  return ADDRESS.test(first) && following.some((line) => OTHER.test(line));
}

/** What Outlook draws above that head, and others above what they answer: no words, however long. */
export const isRule = (line: string): boolean => /^\s?[-_*=─—]{2,}\s*$/u.test(line);

/** What such a head is made of, as far as the first line that is none of it. */
export const isHeadLine = (line: string): boolean => FROM.test(line) || SUBJECT.test(line) || OTHER.test(line);

const RULE = '[-_*=]{2,}';
const DIVIDER = new RegExp(
  `^\\s?${RULE} ?(?:${anyOf(`original message | original appointment | original | reply message | oprindelig besked |
  message d['’]origine | message original | ursprüngliche nachricht | originalnachricht | mensaje original |
  messaggio originale | mensagem original | oorspronkelijk bericht | ursprungligt meddelande | opprinnelig melding |
  alkuperäinen viesti | oryginalna wiadomość | wiadomość oryginalna | исходное сообщение | original-nachricht |
  özgün (?:ileti|İleti|mesaj) | orijinal (?:ileti|İleti|mesaj) | початкове повідомлення | оригінальне повідомлення |
  вихідне повідомлення | الرسالة الأصلية | رسالة أصلية | 原始邮件 | 原邮件 | 原始信息 | 原始消息 | 原始郵件 | 原始訊息 | 元のメッセージ |
  원본 메시지`)}) ?[-_*=]*$`,
  'iu',
);
const REPLY_ABOVE = /\b(?:reply|write|type your reply|respond) above this line\b/iu;
export const isDivider = (line: string): boolean => DIVIDER.test(line) || REPLY_ABOVE.test(line);

/** Marks of a forwarded mail, which is not folded: what somebody forwards is what he wants read. */
const FORWARDED = new RegExp(
  `^[\\s\\-_*=>]*(?:${anyOf(`begin forwarded message | forwarded message | weitergeleitete nachricht |
  anfang der weitergeleiteten nachricht | message transféré | début du message transféré | message réexpédié | mensaje reenviado |
  messaggio inoltrato | inizio messaggio inoltrato | mensagem encaminhada | doorgestuurd bericht | videresendt meddelelse |
  vidarebefordrat meddelande | videresendt melding | välitetty viesti | wiadomość przekazana | пересылаемое сообщение |
  переслане повідомлення | пересланий лист | перенаправлене повідомлення | початок пересланого повідомлення |
  (?:ileti|İleti)len (?:ileti|İleti|mesaj) | (?:ileti|İleti)lmiş (?:ileti|İleti|mesaj) | yönlendirilen (?:ileti|İleti|mesaj) | yönlendirilmiş (?:ileti|İleti|mesaj) |
  رسالة معاد توجيهها | الرسالة المعاد توجيهها | بداية الرسالة المعاد توجيهها | 转发的邮件 | 转发邮件 | 转发邮件信息 | 以下是转发的邮件 |
  开始转发的邮件 | 轉寄郵件 | 轉寄的郵件 | 転送されたメッセージ`)})[\\s:：\\-_*=]*$`,
  'iu',
);
export const isForward = (line: string): boolean => FORWARDED.test(line);

/** By what subjects of forwarded mails begin: Outlook forwards under the head that it puts above an answer. */
const FORWARD = new RegExp(
  `^\\s*(?:${anyOf('FW | Fwd | WG | TR | RV | I | ENC | Doorst | VS | VB | VL | PD | İLT | ILT | Пересл | ПЕР | إعادة توجيه | 转发 | 轉寄')})\\s?[:：]`,
  'iu',
);
export const isForwardSubject = (subject: string): boolean => FORWARD.test(subject);

/** `>:` alone is the end of an attribution that was broken within its address. */
export const isQuoted = (line: string): boolean => /^\s{0,3}>(?!:\s?$)/.test(line);
export const isBlank = (line: string): boolean => line.trim() === '';
