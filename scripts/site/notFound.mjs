// The page that hosts show for an address without one, 404.html. They serve it below any folder, so that it needs no other
// file, and finds the root of the site from its address.
// @ts-check

/** A file that is at the root of the site alone. */
const MARK = 'live/live.js'

/** The page. */
export const NOT_FOUND = `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <meta name="color-scheme" content="light dark">
    <title>There is no such page | Lacuna</title>
    <style>
      body { max-width: 38rem; margin: 4rem auto; padding: 0 1rem; font: 1.1rem/1.6 system-ui, sans-serif }
    </style>
  </head>
  <body>
    <main>
      <h1>There is no such page</h1>
      <p>No page of the Lacuna site has this address. It may be mistyped, or the page has moved.</p>
      <p><a id="home" href="/">To the home page of Lacuna</a>.</p>
    </main>
    <script>
      // The folders above the address, the nearest first; the first with the files of the site is its root.
      const parts = location.pathname.split('/').slice(0, -1)
      const folders = parts.map((_, n) => parts.slice(0, parts.length - n).join('/') + '/')
      const findRoot = async () => {
        for (const folder of folders) {
          const response = await fetch(folder + '${MARK}', { method: 'HEAD' }).catch(() => undefined)
          if (response?.ok) return folder
        }
        return '/'
      }
      findRoot().then((folder) => document.querySelector('#home').setAttribute('href', folder))
    </script>
  </body>
</html>
`
