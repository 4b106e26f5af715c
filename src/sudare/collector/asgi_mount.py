"""Where this application stands under another one, or behind a proxy that takes a prefix off."""

from __future__ import annotations

from starlette.types import Scope


def mount_of(scope: Scope) -> str:
    """Return the path that this application is mounted under; nothing where it stands alone."""
    root: str = scope.get("root_path", "")
    return root


def own_path(scope: Scope) -> str:
    """Return the path of a request from where this application begins.

    Examples:
        >>> own_path({"path": "/surveys/tea", "root_path": "/surveys"}), own_path({"path": "/tea"})
        ('/tea', '/tea')
    """
    path: str = scope["path"]
    root = mount_of(scope)
    return path[len(root) :] if root and path.startswith(f"{root}/") else path


def way_up(scope: Scope) -> str:
    """Return the relative address of where this application begins, without a slash at its end.

    It holds behind a proxy that takes a prefix off and says nothing of it, too.

    Examples:
        >>> [way_up({"path": path}) for path in ("/", "/tea", "/tea/results", "/a/b/c")]
        ['.', '.', '..', '../..']
    """
    return "/".join([".."] * (own_path(scope).count("/") - 1)) or "."
