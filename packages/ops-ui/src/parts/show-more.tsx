import { Button, type ButtonProps } from '@mantine/core';
import { type Paged, useMore } from './further-pages.ts';

/** The way on in a list that comes page by page, as long as there is one. */
export function ShowMore({ query, children = 'Show more', ...rest }: ButtonProps & { query: Paged }) {
  const { isComing, fetchMore } = useMore(query);
  if (!query.hasNextPage) return null;
  return (
    <Button variant="default" {...rest} loading={isComing} onClick={fetchMore}>
      {children}
    </Button>
  );
}
