import { Button } from '@mantine/core';
import { IconPlus } from '@tabler/icons-react';
import { Link } from '@tanstack/react-router';

/** Where one is, the drawer opens in which a task is made. */
export const NewTask = ({ size }: { size?: string }) => (
  <Button
    size={size}
    leftSection={<IconPlus size={16} aria-hidden />}
    renderRoot={(props) => (
      <Link to="." search={(before) => ({ ...before, task: undefined, create: true })} {...props} />
    )}
  >
    New task
  </Button>
);
