import { Tokenizer } from 'htmlparser2';
import type { TextWriter } from './text-writer.ts';

/** Goes through HTML from tag to tag, as they stand. */
export function readTags(html: string, writer: TextWriter): void {
  let name = '';
  let attribute = '';
  let value = '';
  let attributes = new Map<string, string>();
  const openTag = () => writer.open({ name, attributes });
  const nothing = () => {};
  const tokenizer = new Tokenizer(
    {},
    {
      ontext: (start, end) => writer.text(html.slice(start, end)),
      ontextentity: (codepoint) => writer.text(String.fromCodePoint(codepoint)),
      onopentagname(start, end) {
        name = html.slice(start, end).toLowerCase();
        attributes = new Map();
      },
      onattribname(start, end) {
        attribute = html.slice(start, end).toLowerCase();
        value = '';
      },
      onattribdata(start, end) {
        value += html.slice(start, end);
      },
      onattribentity(codepoint) {
        value += String.fromCodePoint(codepoint);
      },
      onattribend() {
        if (!attributes.has(attribute)) attributes.set(attribute, value);
      },
      onopentagend: openTag,
      onselfclosingtag: openTag,
      onclosetag: (start, end) => writer.close(html.slice(start, end).toLowerCase()),
      oncdata: nothing,
      oncomment: nothing,
      ondeclaration: nothing,
      onprocessinginstruction: nothing,
      onend: nothing,
    },
  );
  tokenizer.write(html);
  tokenizer.end();
}
