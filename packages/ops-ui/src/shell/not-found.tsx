import { Button } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { PageHeader } from '../parts/page-header.tsx';
import { Empty } from '../parts/states.tsx';

export const NotFound = () => (
  <>
    <PageHeader title="Not found" />
    <Empty
      action={
        <Button renderRoot={(props) => <Link to="/" {...props} />} variant="default">
          To what needs somebody today
        </Button>
      }
    >
      There is no such page.
    </Empty>
  </>
);
