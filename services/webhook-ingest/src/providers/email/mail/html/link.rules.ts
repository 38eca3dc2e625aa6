const nowhere = ['javascript:', 'vbscript:', 'data:', 'cid:', 'about:'];

/** Where a link leads, if its words do not say it themselves: a link that says another place is to be seen. */
export function placeBehind(words: string, href: string): string | null {
  const place = href.replace(/[\s<>\p{Cc}]+/gu, '');
  if (!/^(?:[a-z][a-z\d+.-]*:|\/\/)/i.test(place)) return null;
  if (nowhere.some((scheme) => place.toLowerCase().startsWith(scheme))) return null;
  return bare(words) === bare(place) ? null : place;
}

function bare(place: string): string {
  const [, scheme = '', rest = ''] =
    /^(mailto:|tel:|sms:|(?:https?:)?\/\/)?(?:www\.)?(.*)$/is.exec(unescaped(place)) ?? [];
  const said = /^(?:mailto|tel|sms):$/i.test(scheme) ? rest.replace(/\?.*$/s, '') : rest;
  const compared = said.replace(/\s+/g, '').replace(/\/$/, '').toLowerCase();
  return /^[+\d()./-]+$/.test(compared) ? compared.replace(/[^+\d]/g, '') : compared;
}

function unescaped(text: string): string {
  try {
    return decodeURI(text.trim());
  } catch {
    return text.trim();
  }
}
