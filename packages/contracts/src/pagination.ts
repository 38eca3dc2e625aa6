import { z } from 'zod';

/** Query parameters of every list: a page size and an opaque position, no offset. */
export const pageQuery = {
  limit: z.coerce.number().int().min(1).max(200).default(50).meta({ description: 'Page size' }),
  cursor: z.string().min(1).max(1024).optional().meta({ description: '`next_cursor` of the page before' }),
};

/** Every list answers this shape; `next_cursor` is null on the last page. */
export const pageOf = <T extends z.ZodType>(item: T) =>
  z.object({ data: z.array(item), next_cursor: z.string().nullable() });

export interface Page<T> {
  data: T[];
  next_cursor: string | null;
}
