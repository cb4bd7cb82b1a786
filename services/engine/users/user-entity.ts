// Returns the entity by which audit records name a user of the engine.

export function userEntity(guid: string): string {
  return `engine-user:${guid}`;
}
