"""Shapes of the earth's surface from files: polygons, outlines of a map, named areas."""
