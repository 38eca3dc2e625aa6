import { ActionIcon, Button, Group, Popover, Text, Tooltip } from '@mantine/core';
import { IconLogout } from '@tabler/icons-react';
import { useState } from 'react';
import { deliverWaiting } from '../customers/outgoing.ts';
import { tellProblem } from '../parts/told.tsx';
import { counted } from '../parts/words.ts';
import { signOut, useMe } from '../session/session.ts';
import { forgetWhatWasTyped, placesTypedIn } from '../session/typed.ts';

/** What was sent a moment ago is sent. Of what was typed and not sent nothing stays, which is said first. */
export function SignOut() {
  const me = useMe();
  const [places, setPlaces] = useState(0);
  const leave = async () => {
    await deliverWaiting();
    const address = await signOut(me);
    forgetWhatWasTyped();
    location.assign(address);
  };
  const go = () => leave().catch(tellProblem);
  const ask = () => {
    const found = placesTypedIn();
    if (found === 0) return go();
    setPlaces(found);
  };
  const stay = () => setPlaces(0);
  return (
    <Popover opened={places > 0} onChange={stay} position="top-end" width={280} trapFocus returnFocus>
      <Popover.Target>
        <Tooltip label="Sign out">
          <ActionIcon variant="subtle" color="gray" onClick={ask} aria-label="Sign out">
            <IconLogout size={18} />
          </ActionIcon>
        </Tooltip>
      </Popover.Target>
      <Popover.Dropdown aria-label="What was typed">
        <Text size="sm" mb="sm">
          What you typed in {counted(places, 'place')} and did not send or save is removed from this browser.
        </Text>
        <Group gap="xs">
          <Button size="xs" onClick={go}>
            Sign out all the same
          </Button>
          <Button size="xs" variant="default" onClick={stay}>
            Stay
          </Button>
        </Group>
      </Popover.Dropdown>
    </Popover>
  );
}
