import { Button } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { Empty } from '../parts/states.tsx';

export const NotFound = () => (
  <Empty
    action={
      <Button renderRoot={(props) => <Link to="/customers" {...props} />} variant="default">
        To the customers
      </Button>
    }
  >
    There is no such page.
  </Empty>
);
