// Test support: the stored bytes of columns, from memory and from temporary files.
import type { Columns, ColumnsHead } from '../../model/code-system-model.ts';
import { type PackedColumns, packedHead, packedPieces } from '../../model/columns/columns.ts';

/** The head and all columns. */
export function memoryBytes(columns: Columns | undefined): Buffer | undefined {
  if (columns === undefined) return undefined;
  return Buffer.concat([Buffer.from(JSON.stringify(packedHead(columns))), ...packedPieces(columns, 1 << 20)]);
}

export function spilledBytes(columns: PackedColumns<ColumnsHead> | undefined): Buffer | undefined {
  if (columns === undefined) return undefined;
  const pieces = [...columns.pieces(1 << 16)].length;
  const copies = Array.from(columns.pieces(1 << 16), (piece) => Buffer.from(piece));
  if (copies.length !== pieces) throw new Error('the pieces are others when they are read again');
  return Buffer.concat([Buffer.from(JSON.stringify(columns.packed)), ...copies]);
}
