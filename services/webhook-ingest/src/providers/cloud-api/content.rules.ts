import { type Content, cannotShow, fileAt, placeLines, placeOf, words } from '../human-form.rules.ts';
import { interactiveOf } from '../interactive.rules.ts';
import { type Fields, fields, list, text } from '../untrusted.rules.ts';
import { cardOf, linesOf } from './contact-cards.rules.ts';
import { orderOf } from './order.rules.ts';

/** What somebody sent, as text to read and files to fetch. A type we do not know says so in plain words. */
export function contentOf(message: Fields): Content {
  const type = text(message.type) ?? 'unknown';
  const read = Object.hasOwn(readers, type) ? readers[type] : undefined;
  const content = read?.(fields(message[type]), message);
  return content ?? { body: unshowable(type, message), parts: [] };
}

type Reader = (content: Fields, message: Fields) => Content | undefined;

/** What was written to a file is kept although the file is not there. */
const media: Reader = (content, message) => {
  const ref = text(content.id);
  const caption = text(content.caption);
  if (ref === undefined) return words(caption, unshowable(text(message.type) ?? 'unknown', message));
  return { body: caption ?? '', parts: [fileAt(ref, text(content.mime_type), text(content.filename))] };
};

const location: Reader = ({ name, address, url, latitude, longitude }) => {
  const given = {
    name: text(name),
    address: text(address),
    latitude: text(latitude),
    longitude: text(longitude),
    url: text(url),
  };
  const said = words(...placeLines(given));
  return said && { ...said, place: placeOf(given) };
};

const contacts: Reader = (_, message) => {
  const cards = list(message.contacts).map(cardOf);
  const said = words(...cards.flatMap(linesOf));
  return said && { ...said, contacts: cards };
};

const readers: Record<string, Reader> = {
  text: (content) => words(text(content.body)),
  image: media,
  video: media,
  audio: media,
  voice: media,
  document: media,
  sticker: media,
  location,
  contacts,
  interactive: interactiveOf,
  button: (content) => words(text(content.text) ?? text(content.payload)),
  order: orderOf,
  media_placeholder: () => words('Sent a file that the phone has not handed over'),
};

/** The provider may know what it was, though it does not hand it over. */
function unshowable(type: string, message: Fields): string {
  const meant = text(fields(message.unsupported).type) ?? type;
  const error = fields(list(message.errors)[0]);
  const why = text(fields(error.error_data).details) ?? text(error.details) ?? text(error.title);
  return cannotShow(meant, why);
}
