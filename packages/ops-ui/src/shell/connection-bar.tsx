import { useEffect, useState } from 'react';
import { useConnection } from '../live/connection.ts';
import classes from './connection-bar.module.css';

/** Most lost connections are back sooner, and nobody needs to be told of those. */
const patienceMs = 5_000;

/** What to expect of a page that does not change by itself at the moment. */
export function ConnectionBar() {
  const connection = useConnection();
  const isLost = connection === 'lost';
  const [isLong, setLong] = useState(false);
  useEffect(() => {
    if (!isLost) return;
    const timer = setTimeout(() => setLong(true), patienceMs);
    return () => {
      clearTimeout(timer);
      setLong(false);
    };
  }, [isLost]);
  return (
    <div className={classes.bar} role="status">
      {connection === 'offline' && (
        <p>You are offline: nothing can be sent or changed, and drafts are kept. {expected}</p>
      )}
      {isLost && isLong && <p>The connection is lost. {expected}</p>}
    </div>
  );
}

const expected = 'What you see may be old; it catches up when the connection is back.';
