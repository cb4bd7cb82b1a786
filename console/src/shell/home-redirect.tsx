// The root: leads to the first screen of who is signed in.
import { Navigate } from '@tanstack/react-router';
import { homeOf } from './faces.ts';
import { Loaded } from './loaded.tsx';
import { useMe } from './me.ts';

export function HomeRedirect() {
  return <Loaded query={useMe()}>{(me) => <Navigate to={homeOf(me)} replace />}</Loaded>;
}
