// A user of the engine as audit records name it.

export function userEntity(guid: string): string {
  return `engine-user:${guid}`;
}
