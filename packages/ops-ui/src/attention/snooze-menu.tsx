import { Button, type ButtonProps, Menu, Popover } from '@mantine/core';
import { IconAlarmSnooze } from '@tabler/icons-react';
import { useState } from 'react';
import { instantOf } from '../parts/dates.tsx';
import { snooze } from './attention-actions.ts';
import { SnoozeUntil } from './snooze-until.tsx';
import classes from './waiting.module.css';
import { snoozeTimes } from './waiting.ts';

interface SnoozeMenuProps extends ButtonProps {
  person: { id: string; name: string };
  /** The last record that somebody saw; what came later is not put off. Undefined: none was shown yet, and they are told. */
  seen(): string | undefined;
  snoozed(): void;
}

/** Until when a customer is put off. */
export function SnoozeMenu({ person, seen, snoozed, ...rest }: SnoozeMenuProps) {
  const [isChoosing, setChoosing] = useState(false);
  const put = async (until: Date) => {
    setChoosing(false);
    const upTo = seen();
    if (upTo && (await snooze(person, until, upTo))) snoozed();
  };
  return (
    <Popover opened={isChoosing} onChange={setChoosing} position="bottom-end" withinPortal={false} trapFocus>
      <Menu position="bottom-end" withinPortal={false} withInitialFocusPlaceholder={false} returnFocus={!isChoosing}>
        <Popover.Target>
          <span>
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
          </span>
        </Popover.Target>
        <Menu.Dropdown>
          {snoozeTimes(Date.now()).map(({ label, until }) => (
            <Menu.Item key={label} onClick={() => put(until)}>
              {label} <span className={classes.quiet}>{instantOf(until.toISOString())}</span>
            </Menu.Item>
          ))}
          <Menu.Item onClick={() => setChoosing(true)}>At another time…</Menu.Item>
        </Menu.Dropdown>
      </Menu>
      <Popover.Dropdown>
        <SnoozeUntil name={person.name} chosen={put} />
      </Popover.Dropdown>
    </Popover>
  );
}
