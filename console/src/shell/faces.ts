// All faces of the console, and which of them somebody has.
import { ACCOUNT } from '../account/face.ts';
import { ADMIN } from '../admin/face.ts';
import { CAREGIVER } from '../caregiver/face.ts';
import { DEVELOPER } from '../developer/face.ts';
import { MY } from '../my/face.ts';
import { OPERATOR } from '../operate/face.ts';
import { PLAN } from '../plan/face.ts';
import { REVIEW } from '../review/face.ts';
import type { Access, Face } from './face.ts';

/** In the order of the navigation. The gateway sends the console at their addresses (gateway/console/pages.ts). */
export const FACES: readonly Face[] = [PLAN, CAREGIVER, ADMIN, REVIEW, MY, OPERATOR, DEVELOPER, ACCOUNT];

export function facesOf(me: Access): readonly Face[] {
  return FACES.filter((face) => face.isFor(me));
}

/** Those of the navigation: one's own, and the face in which one is, which an address may have led to. */
export function facesAt(me: Access, path: string): readonly Face[] {
  const isIn = ({ screens }: Face) => path === screens[0].path || path.startsWith(`${screens[0].path}/`);
  return FACES.filter((face) => face.isFor(me) || isIn(face));
}

/** The first screen of the first face in which somebody begins. */
export function homeOf(me: Access): string {
  const home = facesOf(me).find((face) => face.isHomeOf?.(me) !== false);
  return (home ?? ACCOUNT).screens[0].path;
}
