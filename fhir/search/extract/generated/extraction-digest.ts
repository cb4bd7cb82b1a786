// Written by `npm run generate` (scripts/extraction-digest.ts). With another digest the first update of each resource
// replaces all its index rows (docs/adr/0013, docs/adr/0065).
export const EXTRACTION_DIGEST = 'vLTYFyjEw0tWFP_N-O5jmmBC0kyCOz2sDvjTQa9hzss';
