import { Button, type ButtonProps, Menu, Popover } from '@mantine/core';
import { IconAlarmSnooze } from '@tabler/icons-react';
import { useState } from 'react';
import { instantOf } from '../parts/dates.tsx';
import { snooze, wake } from './attention-actions.ts';
import { SnoozeUntil } from './snooze-until.tsx';
import classes from './waiting.module.css';
import { snoozeTimes } from './waiting.ts';

interface SnoozeMenuProps extends ButtonProps {
  person: { id: string; name: string; snoozed_until: string | null };
  /** The last record that somebody saw; what came later is not put off. Undefined: none was shown yet, and they are told. */
  seen(): string | undefined;
  snoozed(): void;
  woken?(): void;
}

/** Until when a customer is put off: one of the usual times, or one of the person's own choice. */
export function SnoozeMenu({ person, seen, snoozed, woken, ...rest }: SnoozeMenuProps) {
  const [isChoosing, setChoosing] = useState(false);
  const put = async (until: Date) => {
    setChoosing(false);
    const upTo = seen();
    if (upTo && (await snooze(person, until, upTo))) snoozed();
  };
  const wakeNow = async () => {
    if (await wake(person)) woken?.();
  };
  return (
    <Popover
      opened={isChoosing}
      onChange={setChoosing}
      position="bottom-end"
      withinPortal={false}
      trapFocus
      // It belongs to what stands around the button, which has a menu and no dialog.
      withRoles={false}
    >
      <Popover.Target>
        <span>
          <Menu
            position="bottom-end"
            withinPortal={false}
            withInitialFocusPlaceholder={false}
            // To where somebody was before it opened; not before they have chosen.
            returnFocus={!isChoosing}
            onOpen={() => setChoosing(false)}
          >
            <Menu.Target>
              <Button
                {...rest}
                variant="default"
                leftSection={<IconAlarmSnooze size={14} aria-hidden />}
                aria-label={`Snooze: ${person.name}`}
                aria-keyshortcuts="s"
                data-snooze
              >
                Snooze
              </Button>
            </Menu.Target>
            <Menu.Dropdown>
              {person.snoozed_until && <Menu.Item onClick={wakeNow}>Wake now</Menu.Item>}
              {snoozeTimes(Date.now()).map(({ label, until }) => (
                <Menu.Item key={label} onClick={() => put(until)}>
                  {label} <span className={classes.quiet}>{instantOf(until.toISOString())}</span>
                </Menu.Item>
              ))}
              <Menu.Item onClick={() => setChoosing(true)}>At another time…</Menu.Item>
            </Menu.Dropdown>
          </Menu>
        </span>
      </Popover.Target>
      <Popover.Dropdown role="dialog" aria-label={`Snooze ${person.name} until`}>
        <SnoozeUntil chosen={put} />
      </Popover.Dropdown>
    </Popover>
  );
}
