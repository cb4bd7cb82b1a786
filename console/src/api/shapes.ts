// The shapes of the three APIs, by the names that the services' documents give them.
import type { components as DispatchComponents } from './generated/dispatch.ts';
import type { components as EngineComponents } from './generated/engine.ts';
import type { components as IdentityComponents } from './generated/identity.ts';

export type IdentityShapes = IdentityComponents['schemas'];
export type DispatchShapes = DispatchComponents['schemas'];
export type EngineShapes = EngineComponents['schemas'];
