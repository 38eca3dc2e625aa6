import { ActionIcon, Menu } from '@mantine/core';
import { IconDots } from '@tabler/icons-react';
import { lazy, Suspense, useState } from 'react';
import { api } from '../api/client.ts';
import type { Communication } from '../api/types.ts';
import { tell, tellProblem } from '../parts/told.tsx';
import classes from './thread.module.css';

const RecordHistory = lazy(() => import('./record-history.tsx'));
const MoveRecord = lazy(() => import('./move-record.tsx'));

const isInternal = ({ direction }: Communication) => direction === 'INTERNAL';

/** What is seldom done with one record. A menu is made for the one that somebody opens: there may be thousands of records. */
export function RecordMenu({ record }: { record: Communication }) {
  const [isOpen, setIsOpen] = useState(false);
  const [shown, setShown] = useState<'history' | 'move'>();
  const close = () => setShown(undefined);
  const button = (
    <ActionIcon
      className={classes.more}
      size="sm"
      variant="subtle"
      color="gray"
      aria-label="More"
      aria-haspopup="menu"
      onClick={() => setIsOpen(true)}
    >
      <IconDots size={16} />
    </ActionIcon>
  );
  return (
    <>
      {isOpen ? (
        <Menu opened onClose={() => setIsOpen(false)} position="bottom-end">
          <Menu.Target>{button}</Menu.Target>
          <Menu.Dropdown>
            <Menu.Item onClick={() => copyLink(record)}>Copy link</Menu.Item>
            <Menu.Item onClick={() => setShown('history')}>What became of it</Menu.Item>
            {record.direction !== 'OUTBOUND' && (
              <Menu.Item onClick={() => setShown('move')}>Move to another customer</Menu.Item>
            )}
            {isInternal(record) && !record.struck && <Menu.Item onClick={() => strike(record)}>Strike out</Menu.Item>}
          </Menu.Dropdown>
        </Menu>
      ) : (
        button
      )}
      <Suspense>
        {shown === 'history' && <RecordHistory record={record} close={close} />}
        {shown === 'move' && <MoveRecord record={record} close={close} />}
      </Suspense>
    </>
  );
}

async function copyLink({ id, customer_id }: Communication): Promise<void> {
  const link = `${location.origin}/customers/${encodeURIComponent(customer_id)}?message=${id}`;
  try {
    await navigator.clipboard.writeText(link);
    tell('The link is copied: it opens the log at this place.');
  } catch {
    tell(link);
  }
}

/** It stays where it is, and is shown struck. */
async function strike({ id, type }: Communication): Promise<void> {
  try {
    await api.POST('/ops/communications/{id}/strike', { params: { path: { id } } });
    tell(type === 'CALL_LOG' ? 'The call is struck out.' : 'The note is struck out.');
  } catch (error) {
    tellProblem(error);
  }
}
