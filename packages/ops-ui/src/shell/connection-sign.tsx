import { Tooltip } from '@mantine/core';
import { useConnection } from '../live/connection.ts';
import classes from './connection-sign.module.css';

const words = {
  connecting: 'Connecting',
  live: 'Live',
  lost: 'Not live',
  offline: 'Offline',
} as const;

const meanings = {
  connecting: 'Connecting to the live stream',
  live: 'What you see changes by itself',
  lost: 'The connection is lost. What you see may be old; it catches up when the connection is back.',
  offline: 'This device is offline. What you see may be old; it catches up when the connection is back.',
} as const;

export function ConnectionSign() {
  const connection = useConnection();
  return (
    <Tooltip label={meanings[connection]} multiline maw={260}>
      <span className={classes.sign} data-state={connection} role="status">
        {words[connection]}
      </span>
    </Tooltip>
  );
}
