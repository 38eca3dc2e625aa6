import type { MessageData } from '../provider.ts';
import { type Fields, fields, list, text } from '../untrusted.ts';
import { cards } from './contact-cards.ts';

type Content = Pick<MessageData, 'body' | 'parts'>;

/** What somebody sent, as text to read and files to fetch. A type we do not know says so in plain words. */
export function contentOf(message: Fields): Content {
  const type = text(message.type) ?? 'unknown';
  const read = Object.hasOwn(readers, type) ? readers[type] : undefined;
  const content = read?.(fields(message[type]), message);
  return content ?? unshowable(type, message);
}

type Reader = (content: Fields, message: Fields) => Content | undefined;

const words = (...lines: (string | undefined)[]): Content | undefined => {
  const body = lines.filter((line) => line !== undefined).join('\n');
  return body === '' ? undefined : { body, parts: [] };
};

const media: Reader = (content) => {
  const ref = text(content.id);
  if (ref === undefined) return undefined;
  const media_type = text(content.mime_type) ?? 'application/octet-stream';
  const name = text(content.filename) ?? null;
  const file = { source: 'provider', ref, role: 'file', name, media_type, size: null, content_id: null } as const;
  return { body: text(content.caption) ?? '', parts: [file] };
};

const location: Reader = ({ name, address, url, latitude, longitude }) => {
  const point = [text(latitude), text(longitude)];
  const place = point.includes(undefined) ? undefined : point.join(', ');
  const lines = [text(name), text(address), place, text(url)].filter((line) => line !== undefined);
  return lines.length === 0 ? undefined : words('Location:', ...lines);
};

const interactive: Reader = (content) => {
  const chosen = fields(content.button_reply ?? content.list_reply);
  const form = fields(content.nfm_reply);
  return words(text(chosen.title), text(chosen.description), text(form.body), text(form.response_json));
};

const order: Reader = (content) => {
  const items = list(content.product_items).map((given) => {
    const { quantity, product_retailer_id, item_price, currency } = fields(given);
    const price = [text(item_price), text(currency)].filter((part) => part !== undefined).join(' ');
    return `${text(quantity) ?? '1'} x ${text(product_retailer_id) ?? 'something'}${price && ` at ${price}`}`;
  });
  return items.length === 0 ? words(text(content.text)) : words('Order:', ...items, text(content.text));
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
  contacts: (_, message) => words(...cards(list(message.contacts))),
  interactive,
  button: (content) => words(text(content.text) ?? text(content.payload)),
  order,
};

/** The provider may know what it was, though it does not hand it over. */
function unshowable(type: string, message: Fields): Content {
  const meant = text(fields(message.unsupported).type) ?? type;
  const error = fields(list(message.errors)[0]);
  const why = text(fields(error.error_data).details) ?? text(error.details) ?? text(error.title);
  return { body: `Sent something this channel cannot show: ${meant}${why ? ` (${why})` : ''}`, parts: [] };
}
