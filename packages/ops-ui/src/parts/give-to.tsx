import { type KeyboardEvent, useRef, useState } from 'react';
import { AgentSelect, type AgentSelectProps } from './agents.tsx';

interface GiveToProps extends AgentSelectProps {
  /** Whether leaving it gives what the keys came to, or forgets it. */
  leaving?: 'gives' | 'forgets';
}

const goesThrough = /^(Arrow(Up|Down|Left|Right)|Home|End|PageUp|PageDown|\S)$/;

/**
 * An `AgentSelect` whose choice acts at once. The keys change a closed list at each name they come by, so they only go
 * through the names: Enter gives, and Escape puts back.
 */
export function GiveTo({ value, onChange, leaving = 'gives', ...rest }: GiveToProps) {
  /** Undefined: what it shows is so. */
  const [tried, setTried] = useState<string | null>();
  const isByKeys = useRef(false);
  const settle = (gives: boolean) => {
    isByKeys.current = false;
    setTried(undefined);
    if (gives && tried !== undefined && tried !== value) onChange(tried);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const { key, altKey, ctrlKey, metaKey } = event;
    if (tried !== undefined && (key === 'Enter' || key === 'Escape')) {
      event.preventDefault();
      event.stopPropagation();
      return settle(key === 'Enter');
    }
    isByKeys.current = goesThrough.test(key) && !altKey && !ctrlKey && !metaKey;
  };
  return (
    <AgentSelect
      {...rest}
      value={tried === undefined ? value : tried}
      onChange={(agent) => (isByKeys.current ? setTried(agent) : onChange(agent))}
      onKeyDown={onKeyDown}
      onPointerDown={() => {
        isByKeys.current = false;
      }}
      onBlur={() => settle(leaving === 'gives')}
    />
  );
}
