import { Button } from '@mantine/core';
import { PageHeader } from '../parts/page-header.tsx';
import { Empty } from '../parts/states.tsx';

/** In the place of a page that could not be loaded or drawn. */
export const Broken = () => (
  <>
    <PageHeader title="Not shown" />
    <Empty
      action={
        <Button variant="default" onClick={() => location.reload()}>
          Load it again
        </Button>
      }
    >
      This page could not be shown. What you typed is kept.
    </Empty>
  </>
);
