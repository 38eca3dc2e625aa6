/** A name as it is searched and sorted: whoever types "emile" finds "Émile". */
export const foldName = (name: string): string =>
  name.normalize('NFKD').toLowerCase().replace(/\p{M}/gu, '').replace(/\s+/g, ' ').trim();
