// A value that has stayed for a moment: what is asked of a service while somebody types.
import { useEffect, useState } from 'react';

const DEFAULT_MS = 200;

export function useDebounced<Value>(value: Value, milliseconds = DEFAULT_MS): Value {
  const [settled, setSettled] = useState(value);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(value), milliseconds);
    return () => clearTimeout(timer);
  }, [value, milliseconds]);
  return settled;
}
