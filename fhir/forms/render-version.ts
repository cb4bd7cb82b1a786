// The version of the render-ready form (decision D12). It is by itself, as browsers read it and need no schema.

/**
 * The major number is raised when a reader of the older form would misread the newer one, the minor with every new
 * member.
 */
export const RENDER_VERSION = '1.6';
