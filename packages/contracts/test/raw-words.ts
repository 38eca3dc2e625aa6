/** What a validator says to programmers; people are told in words of ours. */
export const rawWords =
  /\b(Too (small|big)|Invalid (input|option|string|key|number|element|value|discriminator|[A-Z]+)\b|expected \w+|received \w+|Unrecognized)|[<>]=|\bundefined\b|NaN/;
