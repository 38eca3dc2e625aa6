import { ActionIcon, Button, Menu } from '@mantine/core';
import { IconDots, IconPlus } from '@tabler/icons-react';
import { Link } from '@tanstack/react-router';
import { RefreshNow } from './refresh-now.tsx';

/** What can be done beside the list, the rarest behind dots. */
export const QueueActions = () => (
  <>
    <Menu position="bottom-end" withinPortal>
      <Menu.Target>
        <ActionIcon size={36} variant="subtle" color="gray" aria-label="More">
          <IconDots size={18} />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Item renderRoot={(props) => <Link to="/renewals/dry-run" {...props} />}>Who would be alerted</Menu.Item>
        <Menu.Item renderRoot={(props) => <Link to="/import/renewals" {...props} />}>Import</Menu.Item>
      </Menu.Dropdown>
    </Menu>
    <RefreshNow variant="default" />
    <Button
      leftSection={<IconPlus size={16} />}
      renderRoot={(props) => (
        <Link to="/renewals" search={(now) => ({ ...now, renewal: undefined, create: true })} {...props} />
      )}
    >
      Watch a date
    </Button>
  </>
);
