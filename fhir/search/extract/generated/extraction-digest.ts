// Written by `npm run generate` (scripts/extraction-digest.ts). With another digest the first update of each resource
// replaces all its index rows (docs/adr/0013, docs/adr/0065).
export const EXTRACTION_DIGEST = 'WegYZJED8ls27w8-HU_8WpuDsQh-1TRn9kLM1XrIrRA';
