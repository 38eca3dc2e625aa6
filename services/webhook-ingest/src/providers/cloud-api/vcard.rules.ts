import { text } from '../untrusted.rules.ts';

/**
 * The values of one property of a vCard, whatever its group and parameters, without the marks of the format. What has
 * several parts, such as an address, is told as people write it.
 */
export function readCard(vcard: string): (property: string) => string[] {
  const lines = vcard.replaceAll(/\r?\n[ \t]/g, '').split(/\r?\n/);
  return (property) => {
    const form = new RegExp(`^(?:[\\w-]+\\.)?${property}[;:]`, 'i');
    return lines.filter((line) => form.test(line)).flatMap((line) => text(plainValue(line)) ?? []);
  };
}

const plainValue = (line: string): string =>
  line
    .slice(line.indexOf(':') + 1)
    .split(/(?<!\\);/)
    .map((part) => part.replaceAll(/\\n/gi, ' ').replaceAll(/\\(.)/g, '$1').trim())
    .filter((part) => part !== '')
    .join(', ');
