import { useRef, useState } from 'react';

/** What a button opens; once that is closed, the button has the focus again. */
export function useOpener() {
  const [isOpen, setOpen] = useState(false);
  const ref = useRef<HTMLButtonElement>(null);
  const close = () => {
    setOpen(false);
    ref.current?.focus();
  };
  return {
    isOpen,
    open: () => setOpen(true),
    close,
    ref,
    toggles: { ref, 'aria-expanded': isOpen, onClick: () => setOpen(!isOpen) },
  };
}
