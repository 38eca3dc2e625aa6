/** A message may be about several. The last words are those of `linked_messages_of_others`, which is not used without. */
export const isAbout = (message: string, renewal: string): string =>
  `(${message}.renewal_id = ${renewal}
    OR ${message}.other_renewal_ids @> ARRAY[CAST(${renewal} AS uuid)] AND ${message}.other_renewal_ids <> '{}')`;
