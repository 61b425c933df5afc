import { type Catalogue, loadCatalogue } from '../../spec/catalogue/catalogue.ts';
import { useDirectory } from '../temporary-directory.ts';
import { complaintOf } from './complaint.ts';

/** A good common.yaml. */
export const COMMON = 'title: T\nversion: "1"\nbase: /api/model\ncommon:\n  id: int ro\n  deleted: bool ro\n';
/** A good area, to which more may be added. */
export const AREA = 'area: Things\nmodels:\n  thing:\n    name: string req\n';

export type CatalogueFiles = Readonly<Record<string, string | undefined>>;

/** A directory for each test of a file, of a good common.yaml and a good area, but for the files given; undefined leaves one out. */
export function useCatalogueFiles() {
  const directory = useDirectory();
  const load = (files: CatalogueFiles): Catalogue => {
    for (const [name, text] of Object.entries({ 'common.yaml': COMMON, 'things.yaml': AREA, ...files }))
      if (text !== undefined) directory.write(name, text);
    return loadCatalogue(directory.path());
  };
  return { load, complaint: (files: CatalogueFiles) => complaintOf(() => load(files)) };
}
